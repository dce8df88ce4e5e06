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
export function findJsonFault(value: unknown, depth = 0): JsonFault | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null
    case 'number':
      return Number.isFinite(value) ? null : { path: [], message: `${value} is not a JSON number` }
    case 'object':
      return value === null ? null : findObjectFault(value, depth)
    default:
      return { path: [], message: `a ${typeof value} is not a JSON value` }
  }
}

function findObjectFault(value: object, depth: number): JsonFault | null {
  if (depth >= maxJsonDepth) return { path: [], message: `nested deeper than ${maxJsonDepth} levels` }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = findJsonFault(value[i], depth + 1)
      if (fault) return { ...fault, path: [i, ...fault.path] }
    }
    return null
  }
  return findMemberFault(value, (member) => findJsonFault(member, depth + 1))
}

/** As `findJsonFault` for an object whose members the caller looks at. */
export function findMemberFault(
  value: object,
  faultOf: (member: unknown, key: string) => JsonFault | null,
): JsonFault | null {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) {
    return { path: [], message: 'not a plain JSON object' }
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return { path: [key], message: "the key '__proto__' is not allowed" }
    const member = (value as Record<string, unknown>)[key]
    // An absent optional member of a typed value is no member at all.
    const fault = member === undefined ? null : faultOf(member, key)
    if (fault) return { ...fault, path: [key, ...fault.path] }
  }
  return null
}

/** Whether a value nests past `most` levels. Whoever takes a value apart does so by recursion, and one that holds itself would never end. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return most === 0 || Object.values(value).some((member) => isDeeper(member, most - 1))
}

/** What stands at a path of a document, or undefined. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** Whether the value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Any value as a text for people. `String` would ask an object for its `toString`, which may be a key of a document. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** How many `{{` stand in the texts of a value, whose nesting is bounded. */
export function countExpressions(value: unknown): number {
  if (typeof value === 'string') return value.includes('{{') ? value.split('{{').length - 1 : 0
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const member of Object.values(value)) count += countExpressions(member)
  return count
}
