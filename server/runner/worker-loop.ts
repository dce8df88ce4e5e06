import type { RunOrder, StopReason, WorkerLink } from './worker-protocol'

/** What a worker does with its orders. */
export type OrderHandlers = {
  start(order: RunOrder): { end(reason: StopReason): void }
}

/** An attempt that a worker runs. `finished` takes it out of the worker's list. */
type Running = ReturnType<OrderHandlers['start']>

/**
 * Claims orders until the link is closed and hands each to its attempt.
 * @param capacity attempts at once; null: any number
 * @returns `finished`, to be called when an attempt has ended, before its end is reported
 */
export function startWorkerLoop(
  link: WorkerLink,
  capacity: number | null,
  start: OrderHandlers['start'],
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
