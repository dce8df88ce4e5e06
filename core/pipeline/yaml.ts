import type { Document } from 'yaml'
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
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

export type YamlIssue = { message: string; /** From 1. */ line?: number; column?: number }

const options = {
  version: '1.2' as const,
  schema: 'core' as const,
  uniqueKeys: true,
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
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { ...options, lineCounter: lines })
    const issues = [...document.errors, ...document.warnings].map(({ message, pos }): YamlIssue => {
      const { line, col } = lines.linePos(pos[0])
      return { message: firstLine(message), line, column: col }
    })
    if (issues.length > 0) return { ok: false, error: issues }
    return { ok: true, value: document.toJS({ maxAliasCount: maxAliases }) as unknown }
  } catch (error) {
    // The library throws for aliases past the limit and for nesting that exhausts the stack.
    const message =
      error instanceof RangeError ? 'the document is nested too deeply' : (error as Error).message
    return { ok: false, error: [{ message: firstLine(message) }] }
  }
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}

/** A definition as YAML, in the order of its keys. */
export function stringifyYaml(value: unknown): string {
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
