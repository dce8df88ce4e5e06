/** Milliseconds since the epoch as the wire says it: ISO 8601, UTC, milliseconds. */
export function instant(at: number): string {
  return new Date(at).toISOString()
}

/** As `instant`, null staying null. */
export function instantOrNull(at: number | null): string | null {
  return at === null ? null : instant(at)
}
