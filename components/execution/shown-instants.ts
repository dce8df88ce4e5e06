/** Which instant of a run is shown, by its seq (null: the present), and which it is compared with (null: none). */
export type Shown = {
  readonly at: number | null
  readonly since: number | null
  /** The address names an event that the run does not have: the present is shown instead. */
  readonly missing: boolean
}

/** Reads `?at=` and `?since=` of an address. */
export function readShown(address: { readonly at: string | null; readonly since: string | null }): Shown {
  const at = seqOf(address.at)
  const since = seqOf(address.since)
  return {
    at,
    since,
    missing: (address.at !== null && at === null) || (address.since !== null && since === null),
  }
}

function seqOf(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

/** The same without seqs after `last`; the same object where there are none. */
export function withinRun(shown: Shown, last: number): Shown {
  const [at, since] = [shown.at, shown.since].map((seq) => (seq === null || seq <= last ? seq : null))
  return at === shown.at && since === shown.since ? shown : { at: at!, since: since!, missing: true }
}

/**
 * The seq that is shown `by` events further. `seq`: what is shown now, null for the present; `last`: the last seq of the run. The present
 * is reached only from itself: who steps to the end of a run that goes on stays at that event.
 */
export function steppedTo(
  by: number,
  { seq, last }: { readonly seq: number | null; readonly last: number },
): number | null {
  const next = Math.max(1, (seq ?? last) + by)
  return next >= last && seq === null ? null : Math.min(next, last)
}

/** Milliseconds from the first event of a run to the event `seq`; 0 where there is none. */
export function msAfterStart(events: readonly { readonly timestamp: string }[], seq: number): number {
  const [start, event] = [events[0], events[seq - 1]]
  if (start === undefined || event === undefined) return 0
  return Date.parse(event.timestamp) - Date.parse(start.timestamp)
}
