import type { Entry, Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { inSlices } from '@/components/ui/in-slices'

/**
 * One run as this tab sees it: a fold of its journal with the engine's own `evolve`. Entries come from two sides, the
 * pages of a snapshot and the stream; they are applied strictly by seq, each once, and a hole is read anew before anything
 * after it is applied. So a lost line, a repeated frame or a frame that overtakes another cannot bend what is shown.
 */

/** The fold that entries are applied to. `seq` is the last one applied. */
export type Fold = {
  readonly seq: number
  apply(entry: Entry): void
  view(now: number): ExecutionView
  /** Does beforehand what the next view costs most; false: there was nothing to do. */
  prepare?(now: number): boolean
}

export type EntryPage = {
  readonly entries: readonly Entry[]
  readonly more: boolean
  readonly closed: boolean
}

export type LiveRunOptions = {
  readonly fold: Fold
  /** Entries after a seq, in order. */
  readonly read: (after: number) => Promise<EntryPage>
  /**
   * Runs `then` at the next frame that is worth drawing: everything that arrives before it is shown together. `soon`: at the very next.
   */
  readonly nextFrame: (then: () => void, soon?: boolean) => void
  readonly now: () => number
}

export type LiveSnapshot = {
  readonly view: ExecutionView
  /** The events so far, oldest first. A new array whenever there are more. */
  readonly events: readonly Event[]
  /** Those of them that are about the run itself and no node of it. */
  readonly milestones: readonly Event[]
  /** Once everything was read that there was: no event that is missing still has to be read. */
  readonly whole: boolean
}

/** What arrives early is kept up to this many entries; beyond, it is read again instead. */
const earlyLimit = 5_000

export function createLiveRun(options: LiveRunOptions) {
  const { fold } = options
  const early = new Map<number, Entry>()
  const watchers = new Set<() => void>()
  const events: Event[] = []
  const milestones: Event[] = []
  let snapshot: LiveSnapshot | null = null
  let problem: unknown = null
  let whole = false
  let reading: Promise<boolean> | null = null
  let again = false
  let framed = false
  let stopped = false

  function changed() {
    if (framed || stopped) return
    framed = true
    options.nextFrame(() => {
      // A frame that holds both is long.
      if (!stopped && fold.prepare?.(options.now()) === true) options.nextFrame(show, true)
      else show()
    })
  }

  function show() {
    framed = false
    if (stopped) return
    snapshot = {
      view: fold.view(options.now()),
      events: events.slice(),
      milestones: milestones.slice(),
      whole,
    }
    for (const watcher of watchers) watcher()
  }

  function apply(entry: Entry) {
    if (entry.event.seq !== fold.seq + 1) return false
    fold.apply(entry)
    events.push(entry.event)
    if (entry.event.source.entity_type === 'pipeline') milestones.push(entry.event)
    return true
  }

  function* applied(entries: readonly Entry[]) {
    for (const entry of entries) yield apply(entry)
  }

  function drain() {
    for (;;) {
      const next = early.get(fold.seq + 1)
      if (next === undefined) break
      early.delete(next.event.seq)
      apply(next)
    }
    for (const seq of early.keys()) if (seq <= fold.seq) early.delete(seq)
  }

  /**
   * Reads everything after the last applied entry; false when that could not be done, and `problem` says why. Calls during a
   * read lead to one more read after it.
   */
  function catchUp(): Promise<boolean> {
    if (reading !== null) again = true
    reading ??= Promise.resolve().then(read)
    return reading
  }

  async function read(): Promise<boolean> {
    try {
      let before: number
      do {
        again = false
        before = fold.seq
        for (;;) {
          const page = await options.read(fold.seq)
          if (stopped) return false
          await inSlices(applied(page.entries))
          if (stopped) return false
          drain()
          whole ||= !page.more
          changed()
          if (!page.more) break
        }
        // Entries that still wait behind a hole were committed, so the hole was too: it is read again. If that gives
        // nothing they are dropped; the next frame or heartbeat finds the hole again.
        if (fold.seq === before) early.clear()
      } while (again || early.size > 0)
      problem = null
    } catch (error) {
      problem = error
      if (!stopped) for (const watcher of watchers) watcher()
    } finally {
      // In the same turn as the last look at `again`: a call that comes next begins a new read.
      reading = null
    }
    return problem === null
  }

  return {
    /** An entry of the stream. Frames that are no entry are ignored. */
    receive(data: unknown): void {
      if (stopped || !isEntry(data)) return
      if (data.event.seq <= fold.seq) return
      if (apply(data)) {
        drain()
        changed()
        return
      }
      if (early.size < earlyLimit) early.set(data.event.seq, data)
      void catchUp()
    },
    catchUp,
    /** The last seq that was applied. */
    seq: () => fold.seq,
    /** Shows the passing of time: what depends on the present is computed anew. */
    refresh: changed,
    /** null until the first entries are there. */
    snapshot: () => snapshot,
    problem: () => problem,
    watch(watcher: () => void): () => void {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    stop(): void {
      stopped = true
    },
  }
}

export type LiveRun = ReturnType<typeof createLiveRun>

function isEntry(data: unknown): data is Entry {
  const entry = data as { event?: { seq?: unknown }; variables?: unknown } | null
  return typeof entry?.event?.seq === 'number' && Array.isArray(entry.variables)
}
