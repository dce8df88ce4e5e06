import { availableParallelism } from 'node:os'

export type RunnerLimits = {
  /** Children at once: the capacity of the pool of children. */
  readonly maxChildren: number
  /** Idle children that stay (and are started at boot): a start costs a fifth of a second. */
  readonly warmChildren: number
  /** Milliseconds past its timeout after which the runner ends an attempt if the engine's own timer has not. */
  readonly timeoutGraceMs: number
  /** Bytes of resident memory that a child may use, everything in it included. */
  readonly memoryBytes: number
  /** Megabytes of JavaScript heap of a child: smaller than the memory, so that the heap's own error comes first. */
  readonly heapMegabytes: number
  /** How often resident memory is looked at. */
  readonly sampleMs: number
  /** Between the abort signal and the kill. */
  readonly abortGraceMs: number
  /** A child ends after so many attempts, or when it idles with more resident memory than this. */
  readonly attemptsPerChild: number
  readonly idleMemoryBytes: number
  /** Bytes of all files that are copied for one attempt. */
  readonly stagedBytes: number
}

/** The limits unless the operator sets others. */
export function usualLimits(): RunnerLimits {
  const maxChildren = Math.max(4, 2 * availableParallelism())
  return {
    maxChildren,
    warmChildren: Math.min(4, availableParallelism()),
    timeoutGraceMs: 1_000,
    memoryBytes: 1024 ** 3,
    heapMegabytes: 768,
    sampleMs: 100,
    abortGraceMs: 100,
    attemptsPerChild: 50,
    idleMemoryBytes: 400 * 1024 * 1024,
    stagedBytes: 4 * 1024 ** 3,
  }
}
