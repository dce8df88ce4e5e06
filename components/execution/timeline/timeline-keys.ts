import type { Row } from './rows'

const STEP_PX = 120

/** What has the focus: the row `active`, and in it the name (0) or a bar (1 …). */
export type Position = {
  readonly rows: readonly Row[]
  readonly active: number
  readonly cell: number
  /** Bars of the active row. */
  readonly cells: number
  /** Rows that are visible at once. */
  readonly page: number
}

/** What a key does. `row` of a focus may lie outside of the rows; the nearest is meant. */
export type Command =
  | { readonly do: 'focus'; readonly row: number; readonly cell: number }
  | { readonly do: 'toggle'; readonly node: string }
  | { readonly do: 'pan'; readonly pixels: number }
  | { readonly do: 'zoom'; readonly factor: number }
  | { readonly do: 'fit' | 'open' | 'leave' | 'nothing' }

/** The command of a key, or null for a key that is not the timeline's. */
export function commandOf(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  { rows, active, cell, cells, page }: Position,
): Command | null {
  const row = rows[active]
  if (row === undefined) return null
  const focus = (to: number, at = 0): Command => ({ do: 'focus', row: to, cell: at })
  switch (key) {
    case 'ArrowDown':
      return focus(active + 1, cell)
    case 'ArrowUp':
      return focus(active - 1, cell)
    case 'PageDown':
      return focus(active + page, cell)
    case 'PageUp':
      return focus(active - page, cell)
    case 'Home':
      return focus(0)
    case 'End':
      return focus(rows.length - 1)
    case 'ArrowRight':
      if (shiftKey) return { do: 'pan', pixels: STEP_PX }
      if (cell === 0 && row.unfolded === false) return { do: 'toggle', node: row.node }
      return cell < cells ? focus(active, cell + 1) : { do: 'nothing' }
    case 'ArrowLeft':
      if (shiftKey) return { do: 'pan', pixels: -STEP_PX }
      if (cell > 0) return focus(active, cell - 1)
      if (row.unfolded === true) return { do: 'toggle', node: row.node }
      return row.item === null ? { do: 'nothing' } : focus(rows.findIndex((each) => each.key === row.node))
    case 'Enter':
      return { do: 'open' }
    case 'Escape':
      return { do: 'leave' }
    case '+':
    case '=':
      return { do: 'zoom', factor: 1 / 1.5 }
    case '-':
      return { do: 'zoom', factor: 1.5 }
    case '0':
    case '1':
      return { do: 'fit' }
    default:
      return null
  }
}
