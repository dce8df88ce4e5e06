import type { Json, Result } from './json'
import { isDeeper } from './json'
import { findNumberFault, NUMBER_HINT, type NumberFault } from './number-text'

/** What JSON text says and its value does not, with the place; lines and columns count from 1. */
export type JsonTextFault = {
  readonly kind: 'duplicate_key' | NumberFault['kind']
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly line: number
  readonly column: number
}

/** An object or a list on the way to where the text is read; `at` is the key or the index that is read now. */
type Open = { readonly keys: Set<string> | null; at: string | number }

const numberText = /-?[0-9][0-9.eE+-]*/y

/**
 * Looks through text that `JSON.parse` has read for what it changes in silence: of a key that is written twice it takes the last, and a
 * number that a double cannot hold becomes another one, or infinite. Answers the first fault, in one pass and without recursion.
 * `onNumber` gets the numbers that do not fit, with where they begin, and they are no faults then.
 */
export function findTextFault(
  json: string,
  onNumber?: (literal: string, at: number) => void,
): JsonTextFault | null {
  const open: Open[] = []
  let isKey = false
  for (let at = 0; at < json.length; at += 1) {
    const inner = open.at(-1)
    switch (json[at]) {
      case '{':
        open.push({ keys: new Set(), at: '' })
        isKey = true
        break
      case '[':
        open.push({ keys: null, at: 0 })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ':':
        isKey = false
        break
      case ',':
        if (typeof inner?.at === 'number') inner.at += 1
        isKey = inner?.keys !== null
        break
      case '"': {
        const end = endOfString(json, at)
        if (isKey && inner !== undefined && inner.keys !== null) {
          const key = JSON.parse(json.slice(at, end)) as string
          inner.at = key
          if (inner.keys.has(key)) {
            const message = `the key '${key.slice(0, 80)}' is written twice`
            return faultAt(json, at, { kind: 'duplicate_key', message }, open)
          }
          inner.keys.add(key)
        }
        at = end - 1
        break
      }
      default: {
        const number = numberAt(json, at)
        if (number === '') break
        const fault = findNumberFault(number)
        if (fault !== null && onNumber === undefined) return faultAt(json, at, fault, open)
        if (fault !== null) onNumber?.(number, at)
        at += number.length - 1
      }
    }
  }
  return null
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code === 0x5c) at += 1
  }
  return json.length
}

function numberAt(json: string, at: number): string {
  const code = json.charCodeAt(at)
  if (code !== 0x2d && (code < 0x30 || code > 0x39)) return ''
  numberText.lastIndex = at
  return numberText.exec(json)?.[0] ?? ''
}

function faultAt(
  json: string,
  at: number,
  fault: Pick<JsonTextFault, 'kind' | 'message'>,
  open: readonly Open[],
): JsonTextFault {
  const before = json.slice(0, at).split('\n')
  const path = open.map((part) => part.at)
  return { ...fault, path, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** JSON text with the numbers that a double cannot hold in quotes, as they are written; what it says otherwise stays. */
export function withNumbersAsText(json: string): string {
  const parts: string[] = []
  let end = 0
  findTextFault(json, (literal, at) => {
    parts.push(json.slice(end, at), `"${literal}"`)
    end = at + literal.length
  })
  return end === 0 ? json : parts.join('') + json.slice(end)
}

/** The message of a fault with what to do about it. */
export function inFull({ kind, message }: JsonTextFault): string {
  return kind === 'duplicate_key' ? message : `${message}; ${NUMBER_HINT}`
}

/** Deepest nesting of what a person types. */
const maxTypedDepth = 100

/** The value of JSON that a person typed, or in words why it cannot be taken. */
export function readTypedJson(text: string): Result<Json, string> {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    return { ok: false, error: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  if (isDeeper(value, maxTypedDepth))
    return { ok: false, error: `This is nested deeper than ${maxTypedDepth} levels.` }
  const fault = findTextFault(text)
  if (fault === null) return { ok: true, value }
  const { line, column } = fault
  return { ok: false, error: `Line ${line}, column ${column}: ${inFull(fault)}.` }
}
