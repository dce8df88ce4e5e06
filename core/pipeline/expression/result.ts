import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { charge, sizeOf } from './budget'
import type { Evaluated } from './types'

/** Deepest nesting of a value. */
const maxValueDepth = 64

class NotJson extends Error {}

/** A CEL timestamp. The library makes them; nothing here reads a clock. */
export function isTimestamp(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]'
}

function convert(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      charge(value.length >> 6)
      return value
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value))
        throw new NotJson(`the result is ${value}, which is not a number that JSON knows`)
      return Object.is(value, -0) ? 0 : value
    case 'bigint': {
      const converted = Number(value)
      if (Number.isSafeInteger(converted)) return converted
      throw new NotJson('the whole number is beyond 9007199254740991 and would lose digits')
    }
    case 'object':
      return value === null ? null : convertObject(value, depth)
    default:
      throw new NotJson('the result is not a value')
  }
}

/** Of a value that only CEL has. */
function withoutJson(value: object): string {
  if (value instanceof Duration) return 'the result is a duration; make it a text with string(…)'
  if (value instanceof Uint8Array) return 'the result is bytes; make them a text with string(…)'
  return 'the result is a type; compare it, as in type(x) == int'
}

function convertObject(value: object, depth: number): unknown {
  if (depth >= maxValueDepth) throw new NotJson(`the result is nested deeper than ${maxValueDepth} levels`)
  charge(1 + sizeOf(value))
  if (Array.isArray(value)) return value.map((item) => convert(item, depth + 1))
  if (isTimestamp(value)) return value.toISOString()
  if (value instanceof UnsignedInt) return convert(value.value, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw new NotJson(withoutJson(value))
  // Entries are defined, not assigned: a key named __proto__ stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(item, depth + 1)]))
}

/** What CEL computed as plain JSON: whole numbers as numbers, dates as ISO text; else an error that says why not. */
export function toJson(value: unknown): Evaluated {
  try {
    return { ok: true, value: convert(value, 0) }
  } catch (error) {
    if (error instanceof NotJson) {
      return { ok: false, error: { kind: 'expression_error', message: error.message } }
    }
    throw error
  }
}
