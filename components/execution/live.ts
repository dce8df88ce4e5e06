import type { Entry, Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { inSlices } from '@/components/ui/in-slices'
import { createOrderedEntries } from './ordered-entries'

/**
 * One run as this tab sees it: a fold of its journal with the engine's own `evolve`. Entries come from two sides, the
 * pages of a snapshot and the stream; they are applied strictly by seq, each once, and what is missing is read before anything
 * after it is applied. So a lost, repeated or overtaken frame cannot change what is shown.
 */

/** The fold that entries are applied to. `seq` is the last one applied. */
export type Fold = {
  readonly seq: number
  apply(entry: Entry): void
  view(now: number): ExecutionView
  /** Whether the next view will show more without another entry. */
  isBehind?(): boolean
  /** Does the costly part of the next view in advance; false: there was nothing to do. */
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

/** One run, followed: entries come in by `receive` and `catchUp`; watchers are called when there is more to show. */
export function createLiveRun(options: LiveRunOptions) {
  const { fold } = options
  const entries = createOrderedEntries(fold)
  const watchers = new Set<() => void>()
  let snapshot: LiveSnapshot | null = null
  let problem: unknown = null
  let whole = false
  let reading: Promise<boolean> | null = null
  let again = false
  let stopped = false

  function notify(): void {
    for (const watcher of watchers) watcher()
  }

  const draw = oncePerFrame(options, () => {
    if (stopped) return
    snapshot = {
      view: fold.view(options.now()),
      events: entries.events(),
      milestones: entries.milestones(),
      whole,
    }
    notify()
    if (fold.isBehind?.() === true) draw()
  })

  /**
   * Reads everything after the last applied entry; false when that could not be done, and `problem` says why. Calls during a
   * read lead to one more read after it.
   */
  function catchUp(): Promise<boolean> {
    if (reading !== null) again = true
    reading ??= Promise.resolve().then(readAll)
    return reading
  }

  async function readAll(): Promise<boolean> {
    try {
      let before: number
      do {
        again = false
        before = fold.seq
        if (!(await readToEnd())) return false
        // Entries that still wait for a missing one were committed, and so was that one: it is read again. If that gives
        // nothing they are dropped; the next frame or heartbeat finds the gap again.
        if (fold.seq === before) entries.dropEarly()
      } while (again || entries.hasGap())
      problem = null
    } catch (error) {
      problem = error
      if (!stopped) notify()
    } finally {
      // In the same turn as the last look at `again`: a call that comes next begins a new read.
      reading = null
    }
    return problem === null
  }

  /** Reads page by page; false when it was stopped meanwhile. */
  async function readToEnd(): Promise<boolean> {
    for (;;) {
      const page = await options.read(fold.seq)
      if (stopped) return false
      await inSlices(entries.applyPage(page.entries))
      if (stopped) return false
      whole ||= !page.more
      draw()
      if (!page.more) return true
    }
  }

  return {
    /** An entry of the stream. Data that is no entry is ignored. */
    receive(data: unknown): void {
      if (stopped || !isEntry(data)) return
      const became = entries.receive(data)
      if (became === 'applied') draw()
      else if (became === 'gap') void catchUp()
    },
    catchUp,
    /** The last seq that was applied. */
    seq: () => fold.seq,
    /** Shows the passing of time: what depends on the present is computed again. */
    refresh: draw,
    /** null until the first entries are there. */
    snapshot: () => snapshot,
    /** Why the last read failed; null when it did not. */
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

/** However often it is called, `show` runs once at the next frame; preparing it, where that takes long, has a frame of its own before. */
function oncePerFrame({ fold, now, nextFrame }: LiveRunOptions, show: () => void): () => void {
  let scheduled = false
  const run = () => {
    scheduled = false
    show()
  }
  return () => {
    if (scheduled) return
    scheduled = true
    nextFrame(() => {
      if (fold.prepare?.(now()) === true) nextFrame(run, true)
      else run()
    })
  }
}

export type LiveRun = ReturnType<typeof createLiveRun>

function isEntry(data: unknown): data is Entry {
  const entry = data as { event?: { seq?: unknown }; variables?: unknown } | null
  return typeof entry?.event?.seq === 'number' && Array.isArray(entry.variables)
}
