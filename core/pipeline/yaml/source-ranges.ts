import { isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'
import type { OpenDocument } from './document'
import { yamlOptions } from './yaml'
import { partText, type Leaf, type Part } from './parts'

/**
 * From a path in a definition to its range in the text, and back: issues are marked in the code, and a cursor in the
 * code becomes a path in the definition.
 */

/** Characters from the start of the text, `to` exclusive. */
export type TextRange = { readonly from: number; readonly to: number }

type Path = readonly (string | number)[]

/** A key with its value, or a member of a list. */
type Located = TextRange & {
  readonly key: string | number
  /** The end of its text with spaces and comments: `to` or later. */
  readonly most: number
  /** In the order of the text; read only when asked for. */
  readonly members: () => Iterable<Located>
}

/**
 * The range of what a path names, from its key to the end of its value. For a field that is missing the range of
 * the nearest part that would contain it; for an empty path the whole text.
 */
export function rangeOf(document: OpenDocument, path: Path): TextRange {
  let at = rootOf(document)
  for (const key of path) {
    const next = find(at.members(), (one) => one.key === key)
    if (next === undefined) break
    at = next
  }
  return { from: at.from, to: at.to }
}

/** The path of the innermost part whose text contains a position; empty when there is none. */
export function pathAt(document: OpenDocument, position: number): (string | number)[] {
  const path: (string | number)[] = []
  let at: Located | undefined = rootOf(document)
  for (;;) {
    at = find(at.members(), (one) => one.from <= position && position <= one.most && position <= one.to)
    if (at === undefined) return path
    path.push(at.key)
  }
}

function find(all: Iterable<Located>, is: (one: Located) => boolean): Located | undefined {
  for (const one of all) if (is(one)) return one
  return undefined
}

function rootOf({ text, source }: OpenDocument): Located {
  const members =
    source.kind === 'json'
      ? () => jsonMembers(text, text.search(/\S/))
      : () => partMembers(source.root, source.head.length)
  return { key: '', from: 0, to: text.length, most: text.length, members }
}

function* partMembers(part: Part, start: number): Generator<Located> {
  if (part.kind === 'leaf') {
    yield* leafMembers(part, start)
    return
  }
  let at = start
  for (const [index, { key, before, lead, gap, part: inner, text }] of part.entries.entries()) {
    const leadAt = at + before.length
    const valueAt = leadAt + lead.length + gap.length
    yield {
      key: key ?? index,
      from: key === null ? firstOf(inner, valueAt) : leadAt,
      most: at + text.length,
      // Computed only when asked for: it reads all the text of the value.
      get to() {
        const value = inner.kind === 'leaf' ? inner.text : partText(inner).trimEnd()
        return Math.max(valueAt + value.length, leadAt + lead.length)
      },
      members: () => partMembers(inner, valueAt),
    }
    at += text.length
  }
}

/** Where a value begins: comments may stand between a dash and what follows it. */
function firstOf(part: Part, at: number): number {
  return part.kind === 'leaf' ? at : at + (part.entries[0]?.before.length ?? 0)
}

/** Inside of `[ ]` and `{ }`, which are kept whole: few, and short. */
function* leafMembers({ text, aliases }: Leaf, start: number): Generator<Located> {
  if (!/^[[{]/.test(text) || aliases.length > 0) return
  yield* nodeMembers(parseDocument(text, yamlOptions).contents, start)
}

function* nodeMembers(node: unknown, start: number): Generator<Located> {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key) || !key.range) continue
      const end = isNode(value) && value.range ? value.range[1] : key.range[1]
      const members = () => nodeMembers(value, start)
      const to = start + end
      yield { key: String(key.value), from: start + key.range[0], to, most: to, members }
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      if (!isNode(item) || !item.range) continue
      const members = () => nodeMembers(item, start)
      const to = start + item.range[1]
      yield { key: index, from: start + item.range[0], to, most: to, members }
    }
  }
}

const jsonSpace = /[\s,:]*/y
const jsonWord = /"(?:[^"\\]|\\.)*"|[^\s,:[\]{}"]+/y
const jsonPieces = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^[\]{}"]+/y

/** Of a text that is JSON, whose value begins at `at`. */
function* jsonMembers(text: string, at: number): Generator<Located> {
  const map = text[at] === '{'
  if (!map && text[at] !== '[') return
  for (let index = 0, next = skip(jsonSpace, text, at + 1); /[^\]}]/.test(text[next] ?? '}'); index += 1) {
    const from = next
    const keyEnd = map ? skip(jsonWord, text, from) : from
    const valueAt = skip(jsonSpace, text, keyEnd)
    const to = jsonEnd(text, valueAt)
    const key = map ? (JSON.parse(text.slice(from, keyEnd)) as string) : index
    yield { key, from, to, most: to, members: () => jsonMembers(text, valueAt) }
    next = skip(jsonSpace, text, to)
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function jsonEnd(text: string, at: number): number {
  if (text[at] !== '{' && text[at] !== '[') return skip(jsonWord, text, at)
  let depth = 0
  let end = at
  do {
    if (text[end] === '{' || text[end] === '[') depth += 1
    else if (text[end] === '}' || text[end] === ']') depth -= 1
    const next = skip(jsonPieces, text, end)
    if (next === end) return text.length
    end = next
  } while (depth > 0)
  return end
}
