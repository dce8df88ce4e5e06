export const AGEING_MS = 60_000

/**
 * Less is sooner: priority, then age. One step of priority is worth a minute of waiting, so that a low priority is late but never
 * starves.
 *
 * @param candidate `queuedAt` in milliseconds; `priority`: of the run plus that of the node
 */
export function rankOf({
  priority,
  queuedAt,
}: {
  readonly priority: number
  readonly queuedAt: number
}): number {
  return queuedAt - priority * AGEING_MS
}
