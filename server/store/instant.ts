/** Instants that were read lately: the events of one commit share a few of them. */
const known = new Map<string, number>()
const KNOWN_MAX = 1_000

/**
 * Milliseconds since the epoch of a timestamp in the one form that comes back as it was written (ISO 8601, UTC, with
 * milliseconds); NaN for every other text.
 */
export function instantOf(timestamp: string): number {
  const before = known.get(timestamp)
  if (before !== undefined) return before
  const at = Date.parse(timestamp)
  if (Number.isNaN(at) || new Date(at).toISOString() !== timestamp) return NaN
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(timestamp, at)
  return at
}
