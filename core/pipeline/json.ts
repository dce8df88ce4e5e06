/** A plain JSON value: what variables, bindings and payloads are made of. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** A value, or why there is none. Errors are data here; nothing in the language throws for bad input. */
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E }

/** Deepest nesting of a document. */
export const maxJsonDepth = 64

/** Why a value is not a JSON value that a document may hold, with the place; or null when it is one. */
export type JsonFault = { path: (string | number)[]; message: string }

/**
 * Looks for what JSON does not know (functions, dates, NaN), for nesting deeper than 64 levels and for the key
 * `__proto__`, which other code would take for something else. Answers the first fault.
 */
export function findJsonFault(value: unknown, path: (string | number)[] = []): JsonFault | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null
    case 'number':
      return Number.isFinite(value) ? null : { path, message: `${value} is not a JSON number` }
    case 'object':
      return value === null ? null : findObjectFault(value, path)
    default:
      return { path, message: `a ${typeof value} is not a JSON value` }
  }
}

function findObjectFault(value: object, path: (string | number)[]): JsonFault | null {
  if (path.length >= maxJsonDepth) return { path, message: `nested deeper than ${maxJsonDepth} levels` }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = findJsonFault(value[i], [...path, i])
      if (fault) return fault
    }
    return null
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) {
    return { path, message: 'not a plain JSON object' }
  }
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') return { path: [...path, key], message: "the key '__proto__' is not allowed" }
    // An absent optional member of a typed value is no member at all.
    const fault = member === undefined ? null : findJsonFault(member, [...path, key])
    if (fault) return fault
  }
  return null
}

/** Whether the value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
