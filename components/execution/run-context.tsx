'use client'

import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { client, inTime, problemOf, tabStream, type ApiProblem } from '@/components/api'
import { emptyState } from '@/core/engine/state'
import { explain as explainNode } from '@/core/engine/explain'
import { createLiveView } from '@/core/engine/live-view'
import { follow, newTimeline, type Timeline } from '@/core/engine/timeline'
import { resolveInput, type ResolvedInput } from '@/core/engine/start-attempt'
import type { Event } from '@/core/engine/event'
import type { ExecutionView, Explanation } from '@/core/engine/view'
import { compilePipeline, type CompiledPipeline } from '@/core/pipeline/compile'
import { taskCatalog } from '@/core/tasks/catalog'
import { createFrames } from '@/components/ui/next-frame'
import { createLiveRun, type Fold, type LiveRun } from './live'

export type Run = {
  readonly view: ExecutionView
  readonly events: readonly Event[]
  readonly pipeline: CompiledPipeline
  /** What happened over time, up to the same entry or later. The fold goes on in place: `events` tells that there is more. */
  readonly timeline: Timeline
  /** Why a node is, or is not, running, by the engine's own predicates over the same fold. */
  readonly explain: (nodeId: string) => Explanation
  /** The input of a node as its attempt saw it that started at `seq`, resolved by the engine over the same fold. */
  readonly inputAt: (nodeId: string, seq: number) => ResolvedInput | null
}

type Opened = {
  readonly live: LiveRun
  readonly pipeline: CompiledPipeline
  readonly timeline: Timeline
  readonly explain: Run['explain']
  readonly inputAt: Run['inputAt']
}

type Loading =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly problem: ApiProblem; readonly retry: () => void }
type RunState = Loading | ({ readonly state: 'ready' } & Run)

const RunContext = createContext<Run | null>(null)

/** The run that the pages below a run show. */
export function useRun(): Run {
  const run = useContext(RunContext)
  if (run === null) throw new Error('useRun belongs below a RunProvider')
  return run
}

const pageSize = 2_000

async function openRun(executionId: string): Promise<Opened> {
  const first = await client.executions.entries.query({ execution_id: executionId, limit: pageSize })
  const document = await client.pipelines.get.query({
    pipeline_id: first.pipeline_id,
    revision: first.revision,
  })
  const compiled = compilePipeline(document.definition, { revision: first.revision, tasks: taskCatalog })
  if (!compiled.ok)
    throw new Error(
      `Revision ${first.revision} of ${first.pipeline_id} cannot be drawn: ${compiled.issues[0]?.message ?? ''}`,
    )
  const state = emptyState(executionId, compiled.pipeline)
  const timeline = newTimeline(compiled.pipeline)
  const { apply, view } = createLiveView(state)
  const fold: Fold = {
    get seq() {
      return state.seq
    },
    apply(entry) {
      apply(entry)
      follow(timeline, entry)
    },
    view,
  }
  let kept: typeof first | null = first
  const live = createLiveRun({
    fold,
    now: Date.now,
    nextFrame: createFrames(),
    read: async (after) => {
      if (kept !== null && after === 0) {
        const page = kept
        kept = null
        return page
      }
      return client.executions.entries.query({ execution_id: executionId, after, limit: pageSize }, inTime())
    },
  })
  return {
    live,
    pipeline: compiled.pipeline,
    timeline,
    explain: (nodeId) => explainNode(state, nodeId),
    inputAt: (nodeId, seq) => {
      const node = compiled.pipeline.nodes.get(nodeId)
      return node === undefined ? null : resolveInput(state, node, { upTo: seq })
    },
  }
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
              // It was removed. Whoever names what is not there gets no stream at all.
              stop()
              return true
            },
          })
        })
        const timer = setInterval(() => {
          if (live.snapshot()?.view.finished_at === null) live.refresh()
        }, 2_000)
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
  const snapshot = useSyncExternalStore(
    (watcher) => live?.watch(watcher) ?? (() => {}),
    () => live?.snapshot() ?? null,
    () => null,
  )
  const failure = useSyncExternalStore(
    (watcher) => live?.watch(watcher) ?? (() => {}),
    () => live?.problem() ?? null,
    () => null,
  )
  const failed = problem ?? (failure === null ? null : problemOf(failure))
  // What has been read stays while the server cannot be reached; of a run that was removed nothing is left.
  if (failed !== null && (snapshot === null || failed.code === 'not_found'))
    return { state: 'failed', problem: failed, retry: () => setAttempt(attempt + 1) }
  if (opened === null || live === null || snapshot === null) return { state: 'loading' }
  const { pipeline, timeline, explain, inputAt } = opened
  return { state: 'ready', ...snapshot, pipeline, timeline, explain, inputAt }
}

/** Gives the run to the pages below; until it is there, `children` is not drawn and `fallback` is. */
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
  return <RunContext value={run}>{children}</RunContext>
}
