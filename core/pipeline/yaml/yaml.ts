import type { Document } from 'yaml'
import { isAlias, isNode, isScalar, Lexer, LineCounter, parseDocument, visit } from 'yaml'
import { isDeeper, type Result } from '@/core/pipeline/json'
import { findTextFault, inFull } from '@/core/pipeline/json-text'
import { findNumberFault, NUMBER_HINT } from '@/core/pipeline/number-text'
import { documentText } from './print'

/**
 * YAML and JSON of a definition: the same document, JSON being a part of YAML. Bounded and without surprises: no tags,
 * no merge keys, few aliases, duplicate keys are mistakes.
 */

/** Longest document, in characters. */
export const maxDocumentLength = 5_000_000
const maxAliases = 100
/** Reading costs a few microseconds a piece (a word, a space, a sign), and whoever reads waits: 500 rich nodes have half of it. */
const maxPieces = 200_000
/** Deepest nesting of what can be read at all; the definition itself is refused past 64 levels (see json.ts). */
const maxDepth = 100
const TWICE = 'Map keys must be unique'
const SEVERAL =
  'a text holds one document: remove the line ---, and put what follows it into a text of its own'
const MERGE =
  'merge keys (<<) are not supported: write the fields out, or give a whole value an anchor (&name) and use it as *name'
const NUMBER_KEY = 'A key that reads as a number would be written otherwise: put it in quotes'
const TOO_DEEP = 'the document is nested too deeply'
const tooDeep: Result<never, YamlIssue[]> = { ok: false, error: [{ message: TOO_DEEP }] }
/** More mistakes than this help nobody; the last issue then says how many were left out. */
const maxIssues = 100

export type YamlIssue = { message: string; /** From 1. */ line?: number; column?: number }

export const yamlOptions = {
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
  const json = parseJson(text)
  if (json !== null) return json
  const read = readYaml(text)
  return read.ok ? { ok: true, value: read.value.value } : read
}

/** What JSON says, at a fraction of what reading it as YAML costs: a large definition comes as JSON. Null: it is none. */
export function parseJson(text: string): Result<unknown, YamlIssue[]> | null {
  if (text.length > maxDocumentLength || !/^\s*[[{]/.test(text)) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (isDeeper(value, maxDepth)) return tooDeep
  const fault = findTextFault(text)
  if (fault === null) return { ok: true, value }
  const { kind, line, column } = fault
  return { ok: false, error: [{ message: kind === 'duplicate_key' ? TWICE : inFull(fault), line, column }] }
}

/** As `parseYaml` reads YAML, with the places where everything stands in the text. */
export function readYaml(text: string): Result<{ document: Document.Parsed; value: unknown }, YamlIssue[]> {
  if (text.length > maxDocumentLength) {
    return { ok: false, error: [{ message: 'the document is larger than 5 MB' }] }
  }
  const tooMuch = excess(text)
  if (tooMuch !== null) return { ok: false, error: [{ message: tooMuch }] }
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { ...yamlOptions, lineCounter: lines })
    const faults: Fault[] = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
      message: code === 'MULTIPLE_DOCS' ? SEVERAL : plainWords(message),
      at: pos[0],
    }))
    faults.push(...unusableKeys(document), ...unusableNumbers(document), ...unknownAliases(document))
    if (faults.length > 0) return { ok: false, error: issuesOf(faults, lines) }
    const value: unknown = document.toJS({ maxAliasCount: maxAliases })
    return isDeeper(value, maxDepth) ? tooDeep : { ok: true, value: { document, value } }
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
  // A sign makes two pieces at most, and most texts have not half so many signs.
  if (2 * text.length < maxPieces && (text.match(/[[{]/g)?.length ?? 0) <= maxDepth) return null
  let pieces = 0
  let brackets = 0
  for (const piece of new Lexer().lex(text)) {
    pieces += 1
    if (pieces > maxPieces)
      return `the document has more than ${maxPieces} words, spaces and signs; send it as JSON instead`
    if (piece === '[' || piece === '{') brackets += 1
    else if (piece === ']' || piece === '}') brackets -= 1
    if (brackets > maxDepth) return TOO_DEEP
  }
  return null
}

/** Keys that would be the same in JSON, where every key is a string, and keys that it does not have or that mean more than a key: in one pass. */
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
        // In quotes it is a key as any other.
        if (key.value === '<<' && key.type === 'PLAIN') faults.push({ message: MERGE, at })
        const word = String(key.value)
        if (typeof key.value === 'number' && word !== key.source) faults.push({ message: NUMBER_KEY, at })
        if (seen.has(word)) faults.push({ message: TWICE, at })
        seen.add(word)
      }
    },
  })
  return faults
}

/** Numbers that a double does not hold as they are written. */
function unusableNumbers(document: Document.Parsed): Fault[] {
  const faults: Fault[] = []
  visit(document, {
    Scalar(place, { value, source, range }) {
      // An unusual key is refused as such.
      if (typeof value !== 'number' || place === 'key') return
      const message = findNumberFault(source ?? '')?.message ?? lostZeros(source ?? '', value)
      if (message !== null) faults.push({ message: `${message}; ${NUMBER_HINT}`, at: range?.[0] ?? 0 })
    },
  })
  return faults
}

/** `017` is seventeen here, fifteen to YAML 1.1, and a postal code or a number of a day to most who write it. */
function lostZeros(source: string, value: number): string | null {
  return /^[-+]?0[0-9]/.test(source) ? `${source} would become ${value}` : null
}

/** Aliases above or without their anchor. */
function unknownAliases(document: Document.Parsed): Fault[] {
  const anchors = new Set<string>()
  const faults: Fault[] = []
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        if (!anchors.has(node.source))
          faults.push({ message: `there is no anchor &${node.source} before it`, at: node.range?.[0] ?? 0 })
      } else if (node.anchor !== undefined) anchors.add(node.anchor)
    },
  })
  return faults
}

function plainWords(message: string): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP
  if (message.startsWith('Excessive alias count')) return 'the aliases (*name) make the document too large'
  return firstLine(message)
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}

/** Longer than any person writes, and more than a reader takes as YAML (see maxPieces). */
const maxPrinted = 300_000

/** A definition as YAML in the usual style, in the order of its keys. A large one, which no person wrote, comes as JSON: that is YAML as well. */
export function stringifyYaml(value: unknown): string {
  if (JSON.stringify(value).length > maxPrinted) return `${JSON.stringify(value, null, 2)}\n`
  return documentText(value)
}
