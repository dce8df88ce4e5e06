'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronRight, CircleStop, Pause, TriangleAlert, type LucideIcon } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { memo, type ReactNode } from 'react'
import { api, usePipelineName } from '@/components/api'
import { Copyable } from '@/components/ui/copyable'
import { StatusBadge } from '@/components/ui/status'
import { Duration, RelativeTime, useNow } from '@/components/ui/time'
import { relativeText } from '@/components/ui/times'
import type { Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { lastSinceRestart } from './attempts'
import { useRun } from './run-context'
import { Expected, RunOutlook } from './run-outlook'
import { RunFiles } from './run-files'
import { RunSteering } from './run-steering'
import { tallyOf } from './tally'

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline gap-1.5">
      <dt className="text-xs text-faint">{label}</dt>
      <dd className="truncate text-xs">{children}</dd>
    </div>
  )
}

// Memoized: these parts do not change while the run goes on.
const Id = memo(Copyable)
const Badge = memo(StatusBadge)
const Heading = memo(function Heading({ pipelineId, name }: { pipelineId: string; name: string }) {
  return (
    <h1 className="min-w-0 truncate text-xl font-semibold tracking-[-0.01em]">
      <Link href={`/pipelines/${pipelineId}`} className="hover:text-accent">
        {name}
      </Link>
    </h1>
  )
})

/** The header of a run: its status, when it is expected to end, and its actions. */
export function RunHeader() {
  const { view, pipeline, milestones } = useRun()
  const cancelled = lastSinceRestart(milestones, 'pipeline.cancelling')
  const paused = view.paused ? milestones.findLast((event) => event.type === 'pipeline.paused') : undefined
  const over = view.finished_at !== null
  const { tasks_total: total, tasks_completed: completed, tasks_failed: failed } = view.metrics
  const { handled } = tallyOf(view.nodes)
  // A rerun does not change when the run began.
  const started = milestones.find((event) => event.type === 'pipeline.started')?.timestamp
  const began = started ?? view.created_at
  const isWaiting = started === undefined && !over
  return (
    <header className="border-b border-line bg-surface px-4 pt-4 pb-3 lg:px-6">
      {view.parent !== null && <Parent {...view.parent} />}
      <div className="flex items-center gap-3">
        <Heading pipelineId={view.pipeline_id} name={pipeline.definition.name ?? view.pipeline_id} />
        <Badge status={view.status} />
        <RunSteering />
      </div>
      <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1">
        <Fact label="Run">
          <Id text={view.execution_id} />
        </Fact>
        <Fact label="Revision">{view.revision}</Fact>
        {view.generation > 1 && (
          <Fact label="Generation">
            {view.generation}
            {view.started_at !== null && view.started_at !== began && (
              <>
                , started <RelativeTime at={view.started_at} />
              </>
            )}
          </Fact>
        )}
        {view.origin !== null && (
          <Fact label={view.origin.seq === 0 ? 'Again after' : `Forked at event ${view.origin.seq} of`}>
            <Link
              href={`/executions/${view.origin.execution_id}`}
              className="rounded-sm font-mono hover:text-accent"
            >
              {view.origin.execution_id}
            </Link>
          </Fact>
        )}
        <Fact label={isWaiting ? 'Created' : 'Started'}>
          <RelativeTime at={began} />
          {view.requested_by !== '' && ` by ${view.requested_by}`}
        </Fact>
        <Fact label={over ? 'Took' : isWaiting ? 'Waiting for' : 'Running for'}>
          <Duration from={began} to={view.finished_at} />
        </Fact>
        {view.eta !== null && !over && (
          <Fact label="Expected end">
            <Expected at={view.eta} />
            {view.eta_p90 !== null && <NineInTen at={view.eta_p90} eta={view.eta} />}
          </Fact>
        )}
        <Fact label="Nodes">
          {completed} of {total} completed
          {failed > handled && <span className="text-failed">, {failed - handled} failed</span>}
          {handled > 0 && <span className="text-muted">, {handled} failed and handled</span>}
        </Fact>
      </dl>
      <RunOutlook />
      <RunFiles />
      {view.error !== null && (
        <p role="alert" className="mt-2 flex items-start gap-2 text-failed">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">
            <code>{view.error.kind}</code> {view.error.message}
          </span>
        </p>
      )}
      {paused !== undefined && <Said icon={Pause} what="Paused" event={paused} />}
      {cancelled !== undefined && (
        <Said icon={CircleStop} what={over ? 'Cancelled' : 'Being cancelled'} event={cancelled} />
      )}
      {view.warnings.length > 0 && (
        <p className="mt-2 flex items-start gap-2 text-warning">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{view.warnings.join(' · ')}</span>
        </p>
      )}
    </header>
  )
}

/** The latest action of a person (or of the engine) on the run, and its reason. */
function Said({ icon: Icon, what, event }: { icon: LucideIcon; what: string; event: Event }) {
  return (
    <p className="mt-2 flex items-start gap-2 text-muted">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">
        {what}
        {event.actor !== undefined && ` by ${event.actor}`}
        {typeof event.payload['reason'] === 'string' && `: ${event.payload['reason']}`}
      </span>
    </p>
  )
}

/** A link to the parent run. */
function Parent({ execution_id: executionId, node_id: nodeId }: NonNullable<ExecutionView['parent']>) {
  const { data } = useQuery(
    api.executions.get.queryOptions(
      { execution_id: executionId },
      { staleTime: Infinity, select: (view) => view.pipeline_id },
    ),
  )
  const name = usePipelineName(data ?? 'Parent run')
  return (
    <nav aria-label="Parent run" className="mb-1 flex min-w-0 items-center gap-1 text-xs text-muted">
      <Link href={`/executions/${executionId}`} className="truncate rounded-sm hover:text-accent">
        {name}
      </Link>
      <ChevronRight aria-hidden className="size-3 shrink-0 text-faint" />
      <Link
        href={`/executions/${executionId}/graph?node=${encodeURIComponent(nodeId)}`}
        className="truncate rounded-sm font-mono hover:text-accent"
      >
        {nodeId}
      </Link>
      <ChevronRight aria-hidden className="size-3 shrink-0 text-faint" />
    </nav>
  )
}

/** When nine of ten runs have ended, where that is in the future and differs from the expected end. */
function NineInTen({ at, eta }: { at: string; eta: string }) {
  const now = useNow()
  const [late, expected] = [Date.parse(at), Date.parse(eta)]
  if (late < now + 2_000 || late <= expected || relativeText(late, now) === relativeText(expected, now))
    return null
  return (
    <span title="Nine of ten runs end before">
      , 9 in 10 <RelativeTime at={at} />
    </span>
  )
}
