import { StoreError } from './store-error'

export type CursorPart = string | number

const CURSOR_MAX = 1024

/** Opaque text that marks a place in an ordered list: the sort keys of the last row that was read. */
export function encodeCursor(parts: readonly CursorPart[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url')
}

/**
 * Reads a cursor back; `shape` says how many keys there are and of which type.
 * @throws StoreError `invalid_cursor` for anything that `encodeCursor` did not write for a list of this shape
 */
export function decodeCursor(cursor: string, shape: readonly ('string' | 'number')[]): CursorPart[] {
  const parts = cursor.length <= CURSOR_MAX && /^[A-Za-z0-9_-]+$/.test(cursor) ? parse(cursor) : null
  const fits =
    Array.isArray(parts) &&
    parts.length === shape.length &&
    parts.every(
      (part, at) => typeof part === shape[at] && (typeof part !== 'number' || Number.isSafeInteger(part)),
    )
  if (!fits) throw new StoreError('invalid_cursor', 'This cursor was not given out by this list.')
  return parts
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/** Cuts the one row that was read too much and turns it into the cursor of the next page. */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => readonly CursorPart[],
): { items: readonly T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null }
}
