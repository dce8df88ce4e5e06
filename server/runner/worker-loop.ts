import type { RunOrder, StopReason, WorkerLink } from './worker-protocol'

/** An attempt that a worker runs. */
type Running = { end(reason: StopReason): void }

/**
 * Claims orders until the link is closed and hands each to its attempt.
 * @param capacity attempts at once; null: any number
 * @returns `finished`, to be called when an attempt has ended, before its end is reported
 */
export function startWorkerLoop(
  link: WorkerLink,
  capacity: number | null,
  start: (order: RunOrder) => Running,
): { finished(order: RunOrder): void } {
  const running = new Map<string, Running>()
  const loop = async () => {
    for (;;) {
      const orders = await link.claim({ capacity })
      if (orders === null) return
      for (const order of orders) {
        if (order.type === 'run') running.set(keyOf(order), start(order))
        else running.get(keyOf(order))?.end(order.reason)
      }
    }
  }
  void loop()
  return { finished: (order) => void running.delete(keyOf(order)) }
}

const keyOf = ({ work, token }: { readonly work: string; readonly token: number }) => `${work} ${token}`
