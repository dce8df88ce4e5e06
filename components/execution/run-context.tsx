'use client'

import { SLOTS } from '@/core/pipeline/definition/demand'
import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { client, inTime, problemOf, tabStream, type ApiProblem } from '@/components/api'
import type { Segment } from '@/core/engine/timeline/chain'
import type { Estimates } from '@/core/engine/timeline/expectation'
import type { Capacities } from '@/core/engine/timeline/play-jobs'
import { Rewind, type Folded } from '@/core/engine/view/rewind'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import { explain as explainNode } from '@/core/engine/view/explain'
import { createLiveView } from '@/core/engine/view/live-view'
import { follow, newTimeline, type Timeline } from '@/core/engine/timeline/timeline'
import { noVoiceOf, type NoVoice, type Voter } from '@/core/engine/decide/approval'
import { resolveInput, type ResolvedInput } from '@/core/engine/decide/start-attempt'
import type { Entry, Event } from '@/core/engine/event'
import type { ExecutionView, Explanation } from '@/core/engine/view/view'
import { compileSteps, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import { useShallow } from 'zustand/react/shallow'
import { taskCatalog } from '@/tasks/contracts'
import { inSlices } from '@/components/ui/in-slices'
import { createFrames } from '@/components/ui/next-frame'
import { createLiveRun, type Fold, type LiveRun, type LiveSnapshot } from './live'

export type Run = {
  readonly view: ExecutionView
  readonly events: readonly Event[]
  /** Those of them that are about the run itself and no node of it. */
  readonly milestones: readonly Event[]
  /** False while the events that existed when the page was opened are still being read. */
  readonly whole: boolean
  readonly pipeline: CompiledPipeline
  /** What happened over time, up to the same entry or later. Folded in place: `events` changes when there is more. */
  readonly timeline: Timeline
  /** Why a node is, or is not, running, by the engine's own predicates over the same fold. */
  readonly explain: (nodeId: string) => Explanation
  /** Why somebody cannot decide an approval that waits, by the engine's own rule over the same fold; null: they can. */
  readonly noVoice: (nodeId: string, who: Voter) => NoVoice | null
  /** The input of a node as its attempt saw it that started at `seq`, resolved by the engine over the same fold. */
  readonly inputAt: (nodeId: string, seq: number) => ResolvedInput | null
  /** Attempts that hold a slot. */
  readonly slots: number
  readonly estimates: Estimates
  /** How much of each pool it may have beside the other runs. Changes in place. */
  readonly capacities: Capacities
  /** The run as it was after a seq. Valid until the next call. */
  readonly foldAt: (seq: number) => Folded
  /** Set where an instant of the past is shown: the seq, when that was (milliseconds since the epoch), and its critical path. */
  readonly past: {
    readonly seq: number
    readonly at: number
    readonly chain: readonly Segment[]
  } | null
}

type Opened = {
  readonly live: LiveRun
  readonly source: RunSource
  /** Other runs take slots and leave them: asks how many are left. */
  readonly renewPlaces: () => Promise<void>
}

type Loading =
  | { readonly state: 'loading' }
  | {
      readonly state: 'failed'
      readonly problem: ApiProblem
      readonly retry: () => void
      /** It existed while the page was open. */
      readonly removed: boolean
    }
type RunState = Loading | { readonly state: 'ready'; readonly source: RunSource }

/**
 * Where the pages of a run read it. The source stays the same object while the run goes on, and notifies its readers of changes. A new
 * context value for each change would make React search a page of thousands of nodes for consumers.
 */
export type RunSource = {
  readonly watch: (watcher: () => void) => () => void
  /** The same object until the watchers are called. */
  readonly run: () => Run
}

export const RunContext = createContext<RunSource | null>(null)

export function useRunSource(): RunSource {
  const source = useContext(RunContext)
  if (source === null) throw new Error('a run is read below a RunProvider')
  return source
}

/** The run that the pages below a run show. */
export const useRun = (): Run => useRunOf(useRunSource())

export const useRunOf = ({ watch, run }: RunSource): Run => useSyncExternalStore(watch, run, run)

/**
 * A part of the run. The component renders again only when the part changes: a run that goes on changes ten times a second.
 *
 * @param select answers a value, or an object of values that are compared one by one
 * @param source absent: the run that the pages below a run show
 */
export function useRunPart<T>(select: (run: Run) => T, source?: RunSource): T {
  const shown = useRunSource()
  const { watch, run } = source ?? shown
  const part = useShallow(select)
  const get = () => part(run())
  return useSyncExternalStore(watch, get, get)
}

const pageSize = 2_000

/** What depends on the present is shown anew so often, and every so many times the slots that are left are asked for. */
const REFRESH_MS = 2_000
const PLACES_TICKS = 5

/**
 * The outlook of a run with more nodes than MANY is computed at most once a second, and less often with thousands of nodes: at every
 * frame it would cost more than everything else.
 */
const MANY = 200
const outlookMs = (nodes: number) => (nodes > MANY ? Math.max(1_000, nodes) : 0)

async function openRun(executionId: string): Promise<Opened> {
  const first = await client.executions.entries.query({ execution_id: executionId, limit: pageSize })
  const [document, { nodes: history, places }] = await Promise.all([
    client.pipelines.get.query({ pipeline_id: first.pipeline_id, revision: first.revision }),
    client.executions.estimates.query({ execution_id: executionId }),
  ])
  const estimates = new Map(Object.entries(history))
  const capacities = new Map(Object.entries(places))
  const compiled = await inSlices(
    compileSteps(document.definition, { revision: first.revision, tasks: taskCatalog }),
  )
  if (!compiled.ok)
    throw new Error(
      `Revision ${first.revision} of ${first.pipeline_id} cannot be drawn: ${compiled.issues[0]?.message ?? ''}`,
    )
  const state = emptyState(executionId, compiled.pipeline)
  const timeline = newTimeline(compiled.pipeline)
  const entries: Entry[] = []
  const rewind = new Rewind(executionId, compiled.pipeline, entries)
  const { apply, view, prepare, isBehind } = createLiveView(state, {
    estimates,
    capacities,
    timeline,
    outlookMs: outlookMs(compiled.pipeline.nodes.size),
  })
  const fold: Fold = {
    get seq() {
      return state.seq
    },
    apply(entry) {
      apply(entry)
      follow(timeline, entry)
      entries.push(entry)
    },
    view,
    prepare,
    isBehind,
  }
  let unread: typeof first | null = first
  const live = createLiveRun({
    fold,
    now: Date.now,
    nextFrame: createFrames(),
    read: async (after) => {
      if (unread !== null && after === 0) {
        const page = unread
        unread = null
        return page
      }
      return client.executions.entries.query({ execution_id: executionId, after, limit: pageSize }, inTime())
    },
  })
  const own = {
    pipeline: compiled.pipeline,
    timeline,
    estimates,
    capacities,
    past: null,
    explain: (nodeId: string) => explainNode(state, nodeId),
    noVoice: (nodeId: string, who: Voter) => {
      const node = state.nodes.get(nodeId)
      return node?.status === 'waiting' && node.approval !== null
        ? noVoiceOf(state, node.approval, who)
        : null
    },
    inputAt: (nodeId: string, seq: number) => inputOf(state, nodeId, seq),
    foldAt: (seq: number) => rewind.at(seq),
  }
  return {
    live,
    renewPlaces: async () => {
      const { places: now } = await client.executions.estimates.query({ execution_id: executionId }, inTime())
      for (const [pool, amount] of Object.entries(now)) capacities.set(pool, amount)
    },
    source: sourceOf(live, (snapshot) => ({ ...own, ...snapshot, slots: state.held.get(SLOTS) ?? 0 })),
  }
}

function sourceOf(live: LiveRun, runOf: (snapshot: LiveSnapshot) => Run): RunSource {
  let seen: { readonly snapshot: LiveSnapshot; readonly run: Run } | null = null
  return {
    watch: live.watch,
    run: () => {
      const snapshot = live.snapshot()
      if (snapshot === null) throw new Error('a run is read before it is there')
      if (seen?.snapshot !== snapshot) seen = { snapshot, run: runOf(snapshot) }
      return seen.run
    },
  }
}

/** The input of a node as its attempt saw it that started at `seq`. */
export function inputOf(state: ExecutionState, nodeId: string, seq: number): ResolvedInput | null {
  const node = state.pipeline.nodes.get(nodeId)
  return node === undefined ? null : resolveInput(state, node, { upTo: seq })
}

/** Loads a run, then follows it. Estimates that depend on the present are refreshed while it goes on. */
function useLiveRun(executionId: string): RunState {
  const [attempt, setAttempt] = useState(0)
  const [opened, setOpened] = useState<(Opened & { id: string }) | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)

  useEffect(() => {
    let current = true
    let close = () => {}
    setProblem(null)
    openRun(executionId).then(
      (run) => {
        const { live } = run
        if (!current) return
        let stop = () => {}
        // The stream begins where the snapshot ends.
        void live.catchUp().then(() => {
          if (!current) return
          stop = tabStream.listen({
            topic: { execution: executionId, after: live.seq },
            onData: live.receive,
            catchUp: async () => {
              const read = await live.catchUp()
              if (read || problemOf(live.problem()).code !== 'not_found') return read
              // It was removed. Stop listening: the server refuses a stream that names a run which does not exist.
              stop()
              return true
            },
            onRemoved: () => {
              stop()
              setProblem({ code: 'not_found', message: 'The run was removed.', issues: [] })
            },
          })
        })
        let ticks = 0
        const timer = setInterval(() => {
          if (live.snapshot()?.view.finished_at !== null) return
          live.refresh()
          ticks += 1
          // Without an answer what was known last holds: the stream says when the server cannot be reached.
          if (ticks % PLACES_TICKS === 0) run.renewPlaces().catch(() => {})
        }, REFRESH_MS)
        close = () => {
          stop()
          clearInterval(timer)
          live.stop()
        }
        setOpened({ id: executionId, ...run })
      },
      (error: unknown) => {
        if (current) setProblem(problemOf(error))
      },
    )
    return () => {
      current = false
      close()
    }
  }, [executionId, attempt])

  const live = opened !== null && opened.id === executionId ? opened.live : null
  const isThere = useSyncExternalStore(
    (watcher) => live?.watch(watcher) ?? (() => {}),
    () => live !== null && live.snapshot() !== null,
    () => false,
  )
  const failure = useSyncExternalStore(
    (watcher) => live?.watch(watcher) ?? (() => {}),
    () => live?.problem() ?? null,
    () => null,
  )
  const failed = problem ?? (failure === null ? null : problemOf(failure))
  // What was read stays while the server cannot be reached. A run that was removed is no longer shown.
  if (failed !== null && (!isThere || failed.code === 'not_found'))
    return {
      state: 'failed',
      problem: failed,
      retry: () => setAttempt(attempt + 1),
      removed: isThere,
    }
  return opened === null || !isThere ? { state: 'loading' } : { state: 'ready', source: opened.source }
}

/** Provides the run to the pages below. Until it is loaded, `fallback` is drawn instead of `children`. */
export function RunProvider({
  executionId,
  fallback,
  children,
}: {
  executionId: string
  fallback: (loading: Loading) => ReactNode
  children: ReactNode
}) {
  const run = useLiveRun(executionId)
  if (run.state !== 'ready') return fallback(run)
  return <RunContext value={run.source}>{children}</RunContext>
}
