import { z } from 'zod'
import { isRecord, type Json } from './json'

/**
 * A JSON value of any size, for inputs of tasks and pipelines. It is looked through once and not copied: trying the members of a union for
 * every member of a value of 16 MB would keep the event loop for seconds. Whoever gets the value must not change it.
 */
export const jsonValue = z.custom<Json>(isJsonValue, 'not a JSON value')

function isJsonValue(value: unknown): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (Array.isArray(value)) return value.every(isJsonValue)
      return isPlain(value) && Object.values(value).every(isJsonValue)
    default:
      return false
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return isRecord(value) && (prototype === null || prototype === Object.prototype)
}
