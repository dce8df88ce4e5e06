/** One step of priority is worth so much waiting: a low priority is late but never starves. */
export const AGEING_MS = 60_000

/** Who holds all of a pool stands behind who holds nothing of it as though it had come so much later. */
export const FAIR_SHARE_MS = 600_000

/** Who comes within so much of each other is equal: how much of its run waits for it decides. */
const GRAIN_MS = 1_000

/**
 * When an owner is due among others; less is sooner. Priority and age are one axis, and what it holds already counts against it, so that
 * a run with thousands of nodes leaves room for a small one. Who was served waits anew: nobody stands still for ever.
 *
 * @param priority of the run plus that of the node
 * @param since when it began to wait, or was served last; milliseconds
 * @param share the largest part of a pool that it holds, 0 to 1
 */
export function turnOf({
  priority,
  since,
  share,
}: {
  readonly priority: number
  readonly since: number
  readonly share: number
}): number {
  return Math.floor((since - priority * AGEING_MS + share * FAIR_SHARE_MS) / GRAIN_MS)
}
