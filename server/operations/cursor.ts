import { decodeCursor, encodeCursor } from '@/core/paging/cursor'
import { DomainError } from './domain-error'

/** An opaque cursor of a list that pages by a number (seq of events, number of log lines); `kind` distinguishes those lists. */
export function numberCursor(kind: string, value: number): string {
  return encodeCursor([kind, value])
}

/** @throws DomainError `invalid_cursor` for anything that `numberCursor` of that kind did not make. */
export function readNumberCursor(kind: string, cursor: string): number {
  const [found, value] = decodeCursor(cursor, ['string', 'number']) ?? []
  if (found !== kind || typeof value !== 'number' || value < 0) throw invalidCursor()
  return value
}

/** Turns a store's refusal of a cursor into the caller's mistake that it is. */
export async function withCursor<T>(listing: Promise<T>): Promise<T> {
  try {
    return await listing
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'invalid_cursor') throw invalidCursor()
    throw error
  }
}

function invalidCursor(): DomainError {
  return new DomainError('invalid_cursor', 'This cursor was not given by this list: start without one.')
}
