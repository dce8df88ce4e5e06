import { rowFor, type OutlineRow } from './outline-rows'

/** What the keys of the outline do. Pure but for the letters that were typed last. */

export const OUTLINE_COLUMNS = ['Node', 'Id', 'Task', 'Starts', 'Problems'] as const
export const NODE_COLUMN = 0
export const STARTS_COLUMN = 3

/** A field that is edited in its cell. */
export type CellField = 'name' | 'startWhen'

/** The column in which a field is edited. */
export const columnOf = (field: CellField): number => (field === 'name' ? NODE_COLUMN : STARTS_COLUMN)

export type KeyPress = {
  readonly key: string
  readonly altKey: boolean
  /** Ctrl, or Cmd on a Mac. */
  readonly command: boolean
  /** Milliseconds. */
  readonly timeStamp: number
}

export type OutlinePosition = {
  readonly rows: readonly OutlineRow[]
  /** The index of the active row; -1: there are no rows. */
  readonly active: number
  /** The active row is also the selected node. */
  readonly selected: boolean
  readonly column: number
}

export type OutlineCommand =
  /** none: the key is for the outline, and finds nothing */
  | { readonly kind: 'add' | 'delete' | 'open' | 'wait' | 'none' }
  | { readonly kind: 'row' | 'column'; readonly to: number }
  | { readonly kind: 'edit'; readonly field: CellField }
  | { readonly kind: 'reorder'; readonly by: -1 | 1 }

/** Rows of Page Up and Page Down. */
const PAGE = 10
/** Longest pause between two letters of one word, in milliseconds. */
const PAUSE_MS = 800

const isLetter = (key: string): boolean => /^[\p{L}\p{N}_]$/u.test(key)

/** Returns what a key does in the outline; null: the key is not for the outline. */
export function createOutlineKeys(): (press: KeyPress, position: OutlinePosition) => OutlineCommand | null {
  let typed = { letters: '', at: 0 }

  /** Letters find a row. N, O and capital letters are shortcuts of the editor, and start no word. */
  function typeahead({ key, timeStamp }: KeyPress, { rows, active }: OutlinePosition): OutlineCommand | null {
    const before = timeStamp - typed.at <= PAUSE_MS ? typed.letters : ''
    if (before === '' && (/^[no]$/.test(key) || /^\p{Lu}$/u.test(key))) return null
    typed = { letters: before + key, at: timeStamp }
    const found = rowFor(rows, typed.letters, before === '' ? active + 1 : active)
    return found === null ? { kind: 'none' } : { kind: 'row', to: rows.indexOf(found) }
  }

  return (press, position) => {
    const { key, altKey, command } = press
    // Any other key ends the word, however soon the next letter comes.
    if (altKey || command || !isLetter(key)) typed = { letters: '', at: 0 }
    const isEmpty = position.rows[position.active] === undefined
    if (key === 'Insert' || (isEmpty && key === 'Enter')) return { kind: 'add' }
    if (isEmpty) return null
    if (altKey) {
      if (key !== 'ArrowUp' && key !== 'ArrowDown') return null
      return { kind: 'reorder', by: key === 'ArrowUp' ? -1 : 1 }
    }
    const moved = moveOf(press, position)
    if (moved !== null) return moved
    if (key === 'F2') return { kind: 'edit', field: position.column === STARTS_COLUMN ? 'startWhen' : 'name' }
    if (key === 'Delete' || key === 'Backspace') return { kind: 'delete' }
    if (command) return null
    if (key === 'Enter') return { kind: 'open' }
    if (key === ' ') return { kind: 'wait' }
    return isLetter(key) ? typeahead(press, position) : null
  }
}

/** Where the arrow keys, Page Up, Page Down, Home and End lead; null for other keys. */
function moveOf(
  { key, command }: KeyPress,
  { rows, active, selected, column }: OutlinePosition,
): OutlineCommand | null {
  const row = (to: number) => ({ kind: 'row', to: Math.max(0, Math.min(to, rows.length - 1)) }) as const
  const cell = (to: number) =>
    ({ kind: 'column', to: Math.max(0, Math.min(to, OUTLINE_COLUMNS.length - 1)) }) as const
  switch (key) {
    case 'ArrowDown':
      return row(selected ? active + 1 : active)
    case 'ArrowUp':
      return row(active - 1)
    case 'PageDown':
      return row(active + PAGE)
    case 'PageUp':
      return row(active - PAGE)
    case 'ArrowRight':
      return cell(column + 1)
    case 'ArrowLeft':
      return cell(column - 1)
    case 'Home':
      return command ? row(0) : cell(0)
    case 'End':
      return command ? row(rows.length - 1) : cell(OUTLINE_COLUMNS.length - 1)
    default:
      return null
  }
}
