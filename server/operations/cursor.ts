import { DomainError } from './domain-error'

/** An opaque cursor of a list that pages by a number (seq of events, number of log lines). */
export function numberCursor(kind: string, value: number): string {
  return Buffer.from(`${kind}:${value}`).toString('base64url')
}

/** @throws DomainError `invalid_cursor` for anything that `numberCursor` of that kind did not make. */
export function readNumberCursor(kind: string, cursor: string): number {
  const match = /^([a-z]+):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const value = match?.[1] === kind ? Number(match[2]) : null
  if (value === null || numberCursor(kind, value) !== cursor) {
    throw new DomainError('invalid_cursor', 'This cursor was not given by this list: start without one.')
  }
  return value
}

/** Turns a store's refusal of a cursor into the caller's mistake that it is. */
export async function withCursor<T>(listing: Promise<T>): Promise<T> {
  try {
    return await listing
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'invalid_cursor') {
      throw new DomainError('invalid_cursor', 'This cursor was not given by this list: start without one.')
    }
    throw error
  }
}
