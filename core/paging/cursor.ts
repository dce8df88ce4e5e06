export type CursorPart = string | number

const CURSOR_MAX = 1024

/** Opaque text (URL-safe) that marks a position in an ordered list: the sort keys of the last row that was read. */
export function encodeCursor(parts: readonly CursorPart[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(parts))
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/**
 * Reads a cursor back; `shape` says how many keys there are and of which type.
 * @returns null for anything that `encodeCursor` did not write for a list of this shape
 */
export function decodeCursor(cursor: string, shape: readonly ('string' | 'number')[]): CursorPart[] | null {
  const parts = cursor.length <= CURSOR_MAX && /^[A-Za-z0-9_-]+$/.test(cursor) ? parse(cursor) : null
  const fits =
    Array.isArray(parts) &&
    parts.length === shape.length &&
    parts.every(
      (part, at) => typeof part === shape[at] && (typeof part !== 'number' || Number.isSafeInteger(part)),
    ) &&
    encodeCursor(parts) === cursor
  return fits ? parts : null
}

function parse(cursor: string): unknown {
  try {
    const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0))
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}
