import { decodeCursor, encodeCursor, type CursorPart } from '@/core/paging/cursor'
import { StoreError } from './store-error'

/**
 * The sort keys in a cursor of a list; `shape` says how many there are and of which type.
 * @throws StoreError `invalid_cursor` for anything that was not made for a list of this shape
 */
export function readCursor(cursor: string, shape: readonly ('string' | 'number')[]): CursorPart[] {
  const parts = decodeCursor(cursor, shape)
  if (parts === null) throw new StoreError('invalid_cursor', 'This cursor was not given by this list.')
  return parts
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
