import type { Json } from './event'

/**
 * Size of a value as JSON in UTF-8 bytes, counted only until it passes `limit` (the answer is then greater than `limit`).
 * Cheap for small values, bounded for large ones: nothing is serialised.
 */
export function jsonBytes(value: Json, limit: number): number {
  if (value === null) return 4
  switch (typeof value) {
    case 'string':
      return stringBytes(value, limit)
    case 'number':
      return String(value).length
    case 'boolean':
      return value ? 4 : 5
    default:
  }
  let bytes = 2
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) {
      bytes += 1 + jsonBytes(item, limit - bytes)
      if (bytes > limit) return bytes
    }
    return bytes
  }
  const object = value as { readonly [key: string]: Json }
  for (const key in object) {
    bytes += 2 + stringBytes(key, limit - bytes)
    bytes += jsonBytes(object[key]!, limit - bytes)
    if (bytes > limit) return bytes
  }
  return bytes
}

function stringBytes(text: string, limit: number): number {
  if (text.length > limit) return text.length + 2
  let bytes = 2
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22 || code === 0x5c) bytes += 2
    else if (code < 0x20) bytes += 6
    else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code <= 0xdfff ? 2 : 3
  }
  return bytes
}
