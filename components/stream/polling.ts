/** Between the end of a round and the next. Milliseconds. */
const POLL_MS = 3_000

/**
 * Repeats `round` until `stop`. A round that is running when it is stopped learns so from `isCurrent` and must have no more effect.
 * `round` never rejects.
 */
export function createPolling(
  wait: (ms: number, then: () => void) => () => void,
  round: (isCurrent: () => boolean) => Promise<void>,
) {
  let cancel: (() => void) | null = null

  function next(): void {
    let isCurrent = true
    let cancelWait = () => {}
    cancel = () => {
      isCurrent = false
      cancelWait()
    }
    void round(() => isCurrent).then(() => {
      if (isCurrent) cancelWait = wait(POLL_MS, next)
    })
  }

  return {
    /** Begins the first round; does nothing while it is polling already. */
    start(): void {
      if (cancel === null) next()
    },
    stop(): void {
      cancel?.()
      cancel = null
    },
  }
}
