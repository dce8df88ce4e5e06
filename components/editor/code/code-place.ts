/**
 * The position of a cursor in a YAML text that is being typed and cannot be parsed. Only indentation is read. Pure.
 */

export type CodePlace = {
  /** The path of the object around the cursor. Every index of a list is 0. */
  readonly path: readonly (string | number)[]
  /** The key whose value is typed; null: a key is typed, or a plain member of a list. */
  readonly key: string | null
  /** The part of the key or value before the cursor, and where it starts, in characters from the start. */
  readonly typed: string
  readonly from: number
  /** The scalar members of the objects around the cursor, the innermost first. */
  readonly around: readonly ReadonlyMap<string, string>[]
}

/** A dash or a key, at its column. */
type Opening = { readonly column: number; readonly key: string | null; readonly value: string }

const DASHES = /^[ ]*(?:-[ ]+)*/
const KEY =
  /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'[\]{},&*!|>%@`-][^\s#{}[\],:]*(?::[^\s#{}[\],:]+)*)[ ]*:(?:[ ]+(.*))?$/
/** Above this many lines nothing is looked for. */
const MOST_LINES = 20_000

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2')

/** The dashes and the key with which a line begins, from left to right; none for blank lines, comments and the rest of texts. */
function openingsOf(line: string): Opening[] {
  const start = DASHES.exec(line.replace(/-$/, '- '))?.[0] ?? ''
  const found: Opening[] = [...start.matchAll(/-/g)].map(({ index }) => ({
    column: index,
    key: null,
    value: '',
  }))
  const key = KEY.exec(line.slice(start.length).trimEnd())
  if (key?.[1] !== undefined)
    found.push({ column: start.length, key: unquoted(key[1]), value: (key[2] ?? '').trim() })
  return found
}

/** Null in a comment, in a block of text, or where the position is unclear. */
export function codePlaceAt(text: string, position: number): CodePlace | null {
  const lineStart = text.lastIndexOf('\n', position - 1) + 1
  const head = text.slice(lineStart, position)
  const start = DASHES.exec(head)?.[0] ?? ''
  const rest = head.slice(start.length)
  if (/(?:^|\s)#/.test(rest)) return null
  const keyed = KEY.exec(rest)
  const inner = keyed?.[1] === undefined ? rest : (keyed[2] ?? '')
  const block = surroundings(text, lineStart, start.length, start.includes('-') ? start : '')
  if (block === null) return null
  const key = keyed?.[1] === undefined ? null : unquoted(keyed[1])
  if (/^[|>]/.test(inner)) return null
  if (!/^[[{]/.test(inner)) {
    const typed = inner.replace(/^["']/, '')
    return { ...block, key, typed, from: position - typed.length }
  }
  const flow = flowPlace(inner)
  if (flow === null) return null
  const base = key === null ? block.path : [...block.path, key]
  return {
    path: [...base, ...flow.path],
    key: flow.key,
    typed: flow.typed,
    from: position - flow.typed.length,
    around: [...flow.around, ...block.around],
  }
}

/** The path to the object at `column`, read upwards from the line that begins at `lineStart`. */
function surroundings(
  text: string,
  lineStart: number,
  column: number,
  ownDashes: string,
): Pick<CodePlace, 'path' | 'around'> | null {
  const path: (string | number)[] = []
  let kind: 'map' | 'list' = 'map'
  let at = column
  let keys = new Map<string, string>()
  const around = [keys]
  const above = text.slice(0, lineStart).split('\n').slice(0, -1)
  const lines = [...above.slice(-MOST_LINES), ownDashes]
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    for (const opening of openingsOf(lines[index] ?? '').toReversed()) {
      if (opening.key === null) {
        if (opening.column >= at) continue
        path.unshift(0)
        kind = 'list'
        at = opening.column
      } else if (kind === 'map' && opening.column === at) {
        keys.set(opening.key, unquoted(opening.value))
      } else if (opening.column < at || (kind === 'list' && opening.column === at)) {
        if (/^[|>]/.test(opening.value)) return null
        path.unshift(opening.key)
        kind = 'map'
        at = opening.column
        keys = new Map([[opening.key, unquoted(opening.value)]])
        around.push(keys)
      }
    }
  }
  noteBelow(text, lineStart, column, around)
  return { path, around }
}

/** Reads keys below the cursor in its object and in the one around, because `task` is often written below. */
function noteBelow(
  text: string,
  lineStart: number,
  column: number,
  around: readonly Map<string, string>[],
): void {
  const [own, outer] = around
  let outerColumn: number | null = null
  const end = text.indexOf('\n', lineStart)
  if (end < 0) return
  for (const line of text.slice(end + 1, end + 20_000).split('\n')) {
    const [first, ...more] = openingsOf(line)
    if (first === undefined) continue
    if (first.key === null || more.length > 0) {
      if (first.column < column) return
      continue
    }
    if (first.column === column && outerColumn === null) own?.set(first.key, unquoted(first.value))
    else if (first.column < column) {
      outerColumn ??= first.column
      if (first.column < outerColumn) return
      if (first.column === outerColumn) outer?.set(first.key, unquoted(first.value))
    }
  }
}

/** Inside of `{ a: b, c` and `[a, b`. */
function flowPlace(text: string): Omit<CodePlace, 'from'> | null {
  type Level = { list: boolean; key: string | null; from: number; keys: Map<string, string> }
  const open: Level[] = []
  const path: (string | number)[] = []
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    const level = open.at(-1)
    if (sign === '"' || sign === "'") {
      const close = text.indexOf(sign, at + 1)
      if (close < 0) break
      at = close
    } else if (sign === '{' || sign === '[') {
      if (level !== undefined) path.push(level.list ? 0 : (level.key ?? ''))
      open.push({ list: sign === '[', key: null, from: at + 1, keys: new Map() })
    } else if (level === undefined) {
      return null
    } else if (sign === '}' || sign === ']') {
      open.pop()
      path.pop()
      if (open.length === 0) return null
    } else if (sign === ':' && !level.list && /\s/.test(text[at + 1] ?? ' ') && level.key === null) {
      level.key = unquoted(text.slice(level.from, at))
      level.from = at + 1
    } else if (sign === ',') {
      if (level.key !== null) level.keys.set(level.key, unquoted(text.slice(level.from, at)))
      level.key = null
      level.from = at + 1
    }
  }
  const level = open.at(-1)
  if (level === undefined) return null
  const typed = text.slice(level.from).trimStart().replace(/^["']/, '')
  const around = open.toReversed().map(({ keys }) => keys)
  return { path: level.list ? [...path, 0] : path, key: level.key, typed, around }
}
