'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronRight, CircleStop, Pause, TriangleAlert, Undo2, type LucideIcon } from 'lucide-react'
import { Link } from '@/components/ui/link'
import type { ReactNode } from 'react'
import { api, usePipelineName, useRenewed } from '@/components/api'
import { namesIn } from '@/components/graph/model/reasons'
import { Copyable } from '@/components/ui/copyable'
import { RunBadge } from '@/components/ui/run-badge'
import { Duration, RelativeTime, useNow } from '@/components/ui/time'
import { relativeText } from '@/components/ui/times'
import type { Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { lastSinceRestart } from './attempts'
import { NewerRevision } from './newer-revision'
import { useRunPart } from './run-context'
import { RunDecision } from './run-decision'
import { Expected, RunOutlook } from './run-outlook'
import { RunFailure } from './run-failure'
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

/** The header of a run: its status, when it is expected to end, and its actions. Each part renders only when what it shows changes. */
export function RunHeader() {
  return (
    <header className="border-b border-line bg-surface px-4 pt-4 pb-3 lg:px-6">
      <Parent />
      <div className="flex items-center gap-3 max-sm:flex-wrap">
        <Heading />
        <Badge />
        <RunSteering />
      </div>
      <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1">
        <Identity />
        <Times />
        <NodeCounts />
        <CheckCounts />
      </dl>
      <RunFailure />
      <RollbackProgress />
      <RunDecision />
      <RunOutlook />
      <NewerRevision />
      <RunFiles />
      <Messages />
    </header>
  )
}

function Heading() {
  const id = useRunPart(({ view }) => view.pipeline_id)
  const name = useRunPart(({ pipeline }) => pipeline.definition.name)
  return (
    <h1
      title={name ?? id}
      className="min-w-0 truncate text-xl font-semibold tracking-[-0.01em] max-sm:basis-full max-sm:break-words max-sm:whitespace-normal"
    >
      <Link href={`/pipelines/${id}`} className="hover:text-accent">
        {name ?? id}
      </Link>
    </h1>
  )
}

function Badge() {
  const { seq, ...run } = useRunPart(({ view, past }) => ({
    status: view.status,
    handled_failures: view.handled_failures,
    mocked: view.mocked,
    error: view.error,
    seq: past?.seq ?? null,
  }))
  return (
    <>
      <RunBadge run={run} className="shrink-0" />
      {seq !== null && <span className="shrink-0 text-xs text-muted">at event {seq}</span>}
    </>
  )
}

/** Which run this is. */
function Identity() {
  const { id, revision, generation, restarted, finished } = useRunPart(({ view }) => ({
    id: view.execution_id,
    revision: view.revision,
    generation: view.generation,
    restarted: view.started_at === view.first_started_at ? null : view.started_at,
    finished: view.finished_at,
  }))
  const origin = useRunPart(({ view }) => view.origin)
  return (
    <>
      <Fact label="Run">
        <Copyable text={id} />
      </Fact>
      <Fact label="Revision">{revision}</Fact>
      {generation > 1 && (
        <Fact label="Generation">
          {generation}
          {restarted !== null && (
            <>
              , started <RelativeTime at={restarted} />
              {finished !== null && (
                <>
                  , took <Duration from={restarted} to={finished} />
                </>
              )}
            </>
          )}
        </Fact>
      )}
      <Forks />
      {origin !== null && (
        <Fact label={origin.seq === 0 ? 'Run again after' : `Forked at event ${origin.seq} of`}>
          <Link
            href={`/executions/${origin.execution_id}`}
            className="rounded-sm font-mono hover:text-accent"
          >
            {origin.execution_id}
          </Link>
        </Fact>
      )}
    </>
  )
}

/** Forks of this run that are named; the rest is counted. */
const NAMED_FORKS = 2

/** Where this run goes on, or was run again. */
function Forks() {
  const { id, over } = useRunPart(({ view }) => ({ id: view.execution_id, over: view.finished_at !== null }))
  const asked = { execution_id: id }
  const { data } = useQuery(api.executions.forks.queryOptions(asked, { select: ({ items }) => items }))
  useRenewed(over ? ['executions'] : [], [api.executions.forks.queryKey(asked)])
  if (data === undefined || data.length === 0) return null
  const more = data.length - NAMED_FORKS
  return (
    <Fact label="Forked as">
      {data.slice(0, NAMED_FORKS).map(({ execution_id: fork, revision }, index) => (
        <span key={fork}>
          {index > 0 && ', '}
          <Link href={`/executions/${fork}`} className="rounded-sm font-mono hover:text-accent">
            {fork}
          </Link>{' '}
          (revision {revision})
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </Fact>
  )
}

/** When it began, and when it ended or is expected to. What a rerun took by itself is said with its generation. */
function Times() {
  const { started, created, by, finished, eta, late } = useRunPart((run) => ({
    started: run.view.first_started_at,
    created: run.view.created_at,
    by: run.view.requested_by,
    finished: run.view.finished_at,
    // What was expected in the past is no news.
    eta: run.past === null ? run.view.eta : null,
    late: run.view.eta_p90,
  }))
  const over = finished !== null
  const isWaiting = started === null && !over
  const began = started ?? created
  return (
    <>
      <Fact label={isWaiting ? 'Created' : 'Started'}>
        <RelativeTime at={began} />
        {by !== '' && ` by ${by}`}
      </Fact>
      <Fact label={over ? 'Took' : isWaiting ? 'Waiting for' : 'Running for'}>
        <Duration from={began} to={finished} />
      </Fact>
      {eta !== null && !over && (
        <Fact label="Expected end">
          <Expected at={eta} />
          {late !== null && <NineInTen at={late} eta={eta} />}
        </Fact>
      )}
    </>
  )
}

function NodeCounts() {
  const { total, completed, failed, handled, rejected, skipped, cancelled } = useRunPart(({ view }) => ({
    total: view.metrics.tasks_total,
    completed: view.metrics.tasks_completed,
    failed: view.metrics.tasks_failed,
    handled: tallyOf(view.nodes).handled,
    rejected: tallyOf(view.nodes).rejected,
    skipped: tallyOf(view.nodes).skipped,
    cancelled: tallyOf(view.nodes).cancelled,
  }))
  return (
    <Fact label="Nodes">
      {completed} of {total} completed
      {failed > handled + rejected && (
        <span className="text-failed">, {failed - handled - rejected} failed</span>
      )}
      {rejected > 0 && <span className="text-rejected">, {rejected} rejected</span>}
      {handled > 0 && <span className="text-muted">, {handled} failed and handled</span>}
      {skipped > 0 && <span className="text-muted">, {skipped} skipped</span>}
      {cancelled > 0 && <span className="text-muted">, {cancelled} cancelled</span>}
    </Fact>
  )
}

function CheckCounts() {
  const { total, held, failed } = useRunPart(({ view: { checks } }) => ({
    total: checks.length,
    held: checks.filter((check) => check.held === true).length,
    failed: checks.filter((check) => check.held === false).length,
  }))
  if (held + failed === 0) return null
  return (
    <Fact label="Checks">
      <span className={failed > 0 ? 'text-failed' : undefined}>
        {held} of {total} hold
      </span>
    </Fact>
  )
}

/** How far the rollback of the run is, and what stays done. */
function RollbackProgress() {
  const { isThere, undone, total, goesOn, left, nodes } = useRunPart(({ view, pipeline }) => {
    const { rollback } = view
    const steps = Object.values(rollback?.steps ?? {})
    return {
      isThere: rollback !== null,
      undone: steps.filter(({ status }) => status === 'completed').length,
      total: steps.length,
      goesOn: view.status === 'rolling_back',
      left: [...(rollback?.irreversible ?? []), ...(rollback?.uncompensated ?? [])].join(),
      nodes: pipeline.nodes,
    }
  })
  if (!isThere) return null
  const names = left === '' ? [] : left.split(',').map(namesIn(nodes))
  const stays = names.length === 1 ? 'stays' : 'stay'
  return (
    <p className="mt-2 flex items-start gap-1.5 text-xs text-muted">
      <Undo2 aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        {goesOn ? 'Rolling back' : 'Rolled back'}: {undone} of {total} {total === 1 ? 'node' : 'nodes'} undone
        {names.length > 0 && `; ${names.slice(0, 5).join(', ')} ${stays} done`}
      </span>
    </p>
  )
}

/** The latest actions of people on it, and its warnings. */
function Messages() {
  const { warnings, paused, cancelled, over } = useRunPart(({ view, milestones }) => ({
    warnings: view.warnings.join(' · '),
    paused: view.paused ? milestones.findLast((event) => event.type === 'pipeline.paused') : undefined,
    cancelled: lastSinceRestart(milestones, 'pipeline.cancelling'),
    over: view.finished_at !== null,
  }))
  return (
    <>
      {paused !== undefined && <Said icon={Pause} what="Paused" event={paused} />}
      {cancelled !== undefined && (
        <Said icon={CircleStop} what={over ? 'Cancelled' : 'Being cancelled'} event={cancelled} />
      )}
      {warnings !== '' && (
        <p className="mt-2 flex items-start gap-2 text-warning">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{warnings}</span>
        </p>
      )}
    </>
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

function Parent() {
  const parent = useRunPart(({ view }) => view.parent)
  return parent === null ? null : <ParentLink {...parent} />
}

/** A link to the parent run. */
function ParentLink({ execution_id: executionId, node_id: nodeId }: NonNullable<ExecutionView['parent']>) {
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
