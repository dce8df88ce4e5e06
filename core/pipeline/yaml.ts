import type { Document } from 'yaml'
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  stringify,
  visit,
  type ParsedNode,
  type YAMLMap,
} from 'yaml'
import { canonicalJson } from './canonical'
import type { Result } from './json'

/**
 * YAML and JSON of a definition: the same document, JSON being a part of YAML. Bounded and without surprises: no tags,
 * no merge keys, few aliases, duplicate keys are mistakes.
 */

/** Longest document, in characters. */
export const maxDocumentLength = 5_000_000
const maxAliases = 100
/** Reading costs a few microseconds a piece (a word, a space, a sign), and whoever reads waits: 500 rich nodes have half of it. */
const maxPieces = 200_000
/** Deepest nesting of brackets; the definition itself is refused past 64 levels (see json.ts). */
const maxBrackets = 100
/** More mistakes than this help nobody; the last issue then says how many were left out. */
const maxIssues = 100

export type YamlIssue = { message: string; /** From 1. */ line?: number; column?: number }

const options = {
  version: '1.2' as const,
  schema: 'core' as const,
  // The library compares every key with every other; see unusableKeys.
  uniqueKeys: false,
  merge: false,
  customTags: [],
  prettyErrors: false,
  strict: true,
  logLevel: 'error' as const,
}

/**
 * Parses YAML or JSON text to plain values. Answers every mistake with its line. Refused: more than 5 MB, tags,
 * duplicate keys, keys that are not text, aliases that would blow the document up.
 */
export function parseYaml(text: string): Result<unknown, YamlIssue[]> {
  if (text.length > maxDocumentLength) {
    return { ok: false, error: [{ message: 'the document is larger than 5 MB' }] }
  }
  const tooMuch = excess(text)
  if (tooMuch !== null) return { ok: false, error: [{ message: tooMuch }] }
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { ...options, lineCounter: lines })
    const faults: Fault[] = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
      message: plainWords(message),
      at: pos[0],
    }))
    faults.push(...unusableKeys(document))
    if (faults.length > 0) return { ok: false, error: issuesOf(faults, lines) }
    return { ok: true, value: document.toJS({ maxAliasCount: maxAliases }) as unknown }
  } catch (error) {
    // The library throws for aliases past the limit and for nesting that exhausts the stack.
    return { ok: false, error: [{ message: plainWords((error as Error).message) }] }
  }
}

type Fault = { message: string; at: number }

function issuesOf(faults: readonly Fault[], lines: LineCounter): YamlIssue[] {
  const issues = faults.slice(0, maxIssues).map(({ message, at }): YamlIssue => {
    const { line, col } = lines.linePos(at)
    return { message, line, column: col }
  })
  if (faults.length > maxIssues) issues.push({ message: `and ${faults.length - maxIssues} more issues` })
  return issues
}

/** What makes the document too much to be read, found by the cheap half of reading; or null. */
function excess(text: string): string | null {
  let pieces = 0
  let brackets = 0
  for (const piece of new Lexer().lex(text)) {
    pieces += 1
    if (pieces > maxPieces)
      return `the document has more than ${maxPieces} words, spaces and signs; send it as JSON instead`
    if (piece === '[' || piece === '{') brackets += 1
    else if (piece === ']' || piece === '}') brackets -= 1
    if (brackets > maxBrackets) return 'the document is nested too deeply'
  }
  return null
}

/** Keys that would be the same in JSON, where every key is a string, and keys that JSON does not have: in one pass over each map. */
function unusableKeys(document: Document.Parsed): Fault[] {
  const faults: Fault[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const at = isNode(key) ? (key.range?.[0] ?? 0) : 0
        if (!isScalar(key)) {
          faults.push({ message: 'A key must be a word', at })
          continue
        }
        const word = String(key.value)
        if (seen.has(word)) faults.push({ message: 'Map keys must be unique', at })
        seen.add(word)
      }
    },
  })
  return faults
}

function plainWords(message: string): string {
  return message.startsWith('Maximum call stack') ? 'the document is nested too deeply' : firstLine(message)
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}

/** Printing YAML is a hundred times as slow as printing JSON. */
const maxPrinted = 300_000

/** A definition as YAML, in the order of its keys. A large one, which no person wrote, comes as JSON: that is YAML as well. */
export function stringifyYaml(value: unknown): string {
  if (JSON.stringify(value).length > maxPrinted) return `${JSON.stringify(value, null, 2)}\n`
  return stringify(value, { lineWidth: 110, aliasDuplicateObjects: false })
}

/**
 * Edits YAML text so that it says what `definition` says and keeps comments, blank lines and formatting wherever nothing
 * changed. Lists whose members have an `id` are matched by it, so that a node that moved keeps its comments.
 * Text that is not valid YAML is replaced as a whole.
 */
export function applyToYaml(text: string, definition: unknown): string {
  const parsed = parseYaml(text)
  if (!parsed.ok) return stringifyYaml(definition)
  if (canonicalJson(parsed.value) === canonicalJson(definition)) return text
  const document = parseDocument(text, options)
  if (isMap(document.contents) && isPlainObject(definition)) {
    updateMap(document, document.contents, definition)
  } else {
    document.contents = document.createNode(definition) as ParsedNode
  }
  return document.toString({ lineWidth: 110 })
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}

function updateMap(document: Document.Parsed, map: YAMLMap, wanted: Record<string, unknown>): void {
  map.items = map.items.filter((pair) => wanted[keyOf(pair.key)] !== undefined)
  for (const [key, value] of Object.entries(wanted)) {
    if (value === undefined) continue
    const pair = map.items.find((item) => keyOf(item.key) === key)
    if (pair) pair.value = updated(document, pair.value, value)
    else map.items.push(document.createPair(key, value))
  }
}

/** The node that says `wanted`: the old one where it can be kept. */
function updated(document: Document.Parsed, node: unknown, wanted: unknown): unknown {
  if (isMap(node) && isPlainObject(wanted)) {
    updateMap(document, node, wanted)
    return node
  }
  if (isSeq(node) && Array.isArray(wanted)) {
    const old = [...node.items]
    node.items = wanted.map((item: unknown, index) => {
      const at = matching(old, item, index)
      if (at < 0) return document.createNode(item)
      const kept = old[at]
      old[at] = undefined
      return updated(document, kept, item)
    })
    return node
  }
  if (isScalar(node)) {
    if (node.value === wanted) return node
    if (typeof wanted !== 'object' || wanted === null) {
      // A new kind of value must not inherit the quotes of the old one.
      if (typeof node.value !== typeof wanted) delete node.type
      node.value = wanted
      delete node.source
      return node
    }
  }
  return document.createNode(wanted)
}

/** Where in the old list the member stands: by `id` when it has one, else at the same place. */
function matching(old: readonly unknown[], item: unknown, index: number): number {
  if (!isPlainObject(item) || item.id === undefined) return old[index] === undefined ? -1 : index
  return old.findIndex((node) => isMap(node) && node.get('id') === item.id)
}
