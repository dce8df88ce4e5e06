import { startChild, type Child, type ChildOptions } from './child-process'
import type { RunnerLimits } from './limits'

/** An idle child past the warm ones is let go after this long: a burst does not start new ones between its attempts. */
const SURPLUS_MS = 30_000

/** An attempt that waits for a child. */
type Waiting = { readonly work: ChildWork; readonly take: (child: Child) => void }

/** What a child is wanted for. */
type ChildWork = { readonly task: string; readonly network: boolean }

/**
 * Children that wait for attempts. It grows with the dispatches up to `maxChildren`, keeps `warmChildren` idle ones, and lets
 * a child go after `attemptsPerChild` attempts or when it is too fat. One attempt at a time is in a child.
 */
export type ChildPool = {
  /** Calls `take` with an idle child (soon, never at once); the returned function leaves the queue when it is not too late. */
  acquire(work: ChildWork, take: (child: Child) => void): () => void
  /** Gives a child back. One that is `spent` is killed instead of used again. */
  release(child: Child, spent: boolean): void
  /** Kills every child; resolves when none is left. */
  stop(): Promise<void>
}

export function createChildPool(options: ChildOptions, limits: RunnerLimits): ChildPool {
  const children = new Set<Child>()
  const idle: Child[] = []
  const waiting: Waiting[] = []
  let stopped = false

  const start = (network: boolean): Child => {
    const child = startChild(options, network)
    children.add(child)
    void child.ended.then(() => {
      children.delete(child)
      const at = idle.indexOf(child)
      if (at !== -1) idle.splice(at, 1)
      serve()
    })
    return child
  }

  const keepWarm = () => {
    while (!stopped && children.size < Math.min(limits.warmChildren, limits.maxChildren))
      idle.push(start(false))
  }

  /** The latest used child that knows the task, else the latest used, of those with or without network: the others may be let go. */
  const pick = ({ task, network }: ChildWork): Child | undefined => {
    const fits = (child: Child) => child.alive() && child.network === network
    const known = idle.findLastIndex((child) => fits(child) && child.warmFor.has(task))
    const at = known === -1 ? idle.findLastIndex(fits) : known
    return at === -1 ? undefined : idle.splice(at, 1)[0]
  }

  /** A new child; when there are as many as there may be, an idle one of the other kind ends, and the queue is served after that. */
  const make = ({ network }: ChildWork): Child | undefined => {
    if (children.size < limits.maxChildren) return start(network)
    idle.shift()?.kill()
    return undefined
  }

  const serve = () => {
    while (!stopped && waiting.length > 0) {
      const next = waiting[0]
      if (next === undefined) return
      const child = pick(next.work) ?? make(next.work)
      if (child === undefined) return
      waiting.shift()
      child.attempts += 1
      child.warmFor.add(next.work.task)
      next.take(child)
    }
  }

  const trim = (child: Child, attempts: number) => {
    const at = idle.indexOf(child)
    if (at === -1 || child.attempts !== attempts || idle.length <= limits.warmChildren) return
    idle.splice(at, 1)
    child.kill()
  }

  keepWarm()
  return {
    acquire(work, take) {
      const entry = { work, take }
      waiting.push(entry)
      setImmediate(serve)
      return () => {
        const at = waiting.indexOf(entry)
        if (at !== -1) waiting.splice(at, 1)
      }
    },
    release(child, spent) {
      child.listener = null
      const tooOld = child.attempts >= limits.attemptsPerChild
      if (!child.alive()) return
      if (stopped || spent || tooOld || (child.memory() ?? 0) > limits.idleMemoryBytes) {
        child.kill()
        // Its successor is started when it is gone (see start), but the queue is not served by that alone.
        void child.ended.then(keepWarm)
        return
      }
      idle.push(child)
      setTimeout(trim, SURPLUS_MS, child, child.attempts).unref()
      serve()
    },
    async stop() {
      stopped = true
      waiting.length = 0
      const ended = [...children].map((child) => child.ended)
      for (const child of children) child.kill()
      await Promise.all(ended)
    },
  }
}
