/** A comment with which a server shows that the connection is alive. */
export type Heartbeat = {
  /** The server's clock, milliseconds since the epoch. */
  readonly at: number
  /**
   * null: the server accepted the connection at `at`. Else: everything that it had committed until `at` was sent before, up
   * to these seqs by execution.
   */
  readonly positions: ReadonlyMap<string, number> | null
}

/** Reads `1764350000000` or `1764350000000 a:14,b:3`; null for any other comment. */
export function heartbeatOf(comment: string): Heartbeat | null {
  const [, instant, listed] = /^ ?(\d{1,15})(?: (\S*))?$/.exec(comment) ?? []
  if (instant === undefined) return null
  return { at: Number(instant), positions: listed === undefined ? null : positionsOf(listed) }
}

function positionsOf(listed: string): ReadonlyMap<string, number> {
  const positions = new Map<string, number>()
  for (const part of listed.split(',')) {
    const colon = part.lastIndexOf(':')
    if (colon > 0) positions.set(part.slice(0, colon), Number(part.slice(colon + 1)))
  }
  return positions
}
