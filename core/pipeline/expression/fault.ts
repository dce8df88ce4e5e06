import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { isTimestamp } from './result'

/** Thrown by functions of expressions; its message is meant for the author of the expression. */
export class ExpressionFault extends Error {}

/** What a value is, in the middle of a sentence. */
export function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'bigint':
    case 'number':
      return 'a number'
    case 'string':
      return 'a string'
    case 'boolean':
      return 'a boolean'
    default:
      return describeObject(value)
  }
}

function describeObject(value: unknown): string {
  if (isTimestamp(value)) return 'a timestamp'
  if (value instanceof Duration) return 'a duration'
  if (value instanceof UnsignedInt) return 'an unsigned number'
  return value instanceof Uint8Array ? 'bytes' : 'a map'
}
