'use client'

import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Gauge, Hourglass } from 'lucide-react'
import { Link } from '@/components/ui/link'
import type { ReactNode } from 'react'
import { api, problemOf, useRenewed, type ApprovalSummary, type ExecutionSummary } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { cn } from '@/components/ui/class-names'
import { MockMark } from '@/components/ui/run-badge'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '@/components/ui/states'
import { RelativeTime } from '@/components/ui/time'
import { NodeName, PipelineName } from './pipeline-name'
import { OverviewRuns } from './overview-runs'
import { runCounts } from './run-counts'
import { Throughput } from './throughput'
import { sumHours } from './throughput-text'

/** The present at a glance: what runs, who is needed, what failed lately, how many slots are in use. */
export function Overview({ title }: { title: (text: string) => ReactNode }) {
  const { data, error, isPending, refetch } = useQuery(api.overview.get.queryOptions({}))
  const mine = useQuery(api.approvals.count.queryOptions({})).data?.mine ?? 0
  useRenewed(['executions', 'approvals', 'slots'], [api.overview.pathKey()])
  if (isPending) return <OverviewSkeleton>{title('Overview')}</OverviewSkeleton>
  // What was read stays while the server cannot be reached.
  if (data === undefined)
    return (
      <>
        {title('Overview')}
        <ErrorState
          what="The overview could not be loaded."
          error={problemOf(error)}
          retry={() => void refetch()}
        />
      </>
    )
  const { running, failed, handled, approvals, slots, children, ended } = data
  const counts = runCounts(data.counts)
  const day = sumHours(ended)
  const heading = title(counts.running > 0 ? `● ${counts.running} running · Overview` : 'Overview')
  if (counts.all === 0)
    return (
      <>
        {heading}
        <NothingYet />
      </>
    )
  return (
    <div className="flex flex-col gap-4">
      {heading}
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure
          label="Open runs"
          value={counts.open}
          href="/executions?status=open"
          note={counts.waiting === 0 ? `${counts.all} in all` : `${counts.waiting} of them waiting`}
        />
        <Figure
          label="Waiting for people"
          value={approvals.pending}
          href="/approvals"
          note={approvals.pending === 0 ? 'nobody is needed' : `${mine} of them for you`}
          status={approvals.pending > 0 ? 'waiting' : undefined}
        />
        <Figure
          label="Failed or rejected in 24 hours"
          value={day.failed}
          href="/executions?status=failed&since=1d"
          note={
            day.handled === 0
              ? `${day.completed} completed`
              : `${day.completed} completed, ${day.handled} handled`
          }
          status={day.failed > 0 ? 'failed' : undefined}
        />
        <Slots total={slots.total} used={slots.in_use} queued={slots.queued} processes={children} />
      </dl>
      <Throughput hours={ended} />
      <Card title="Running now" count={counts.open - counts.waiting}>
        {running.length === 0 ? (
          <EmptyState icon={CircleCheck} title="Nothing is running" className="py-7">
            Runs appear here as soon as they start.
          </EmptyState>
        ) : (
          <OverviewRuns items={running} empty="Nothing is running." />
        )}
      </Card>
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="Waiting for people" count={approvals.pending}>
          <Approvals items={approvals.items} />
          {counts.waiting > 0 && (
            <p className="border-t border-line px-4 py-3 text-xs">
              <Link href="/executions?status=waiting" className="text-accent underline underline-offset-2">
                {counts.waiting === 1 ? 'The run that waits' : `All ${counts.waiting} runs that wait`} for
                people or events from outside
              </Link>
            </p>
          )}
        </Card>
        <Card title="Failed or rejected lately">
          <OverviewRuns items={latest([...failed, ...handled]).slice(0, 6)} empty="Nothing failed." />
        </Card>
      </div>
    </div>
  )
}

/** By their end, the latest first. */
const latest = (runs: readonly ExecutionSummary[]): readonly ExecutionSummary[] =>
  runs.toSorted((a, b) => ((a.finished_at ?? '') < (b.finished_at ?? '') ? 1 : -1))

function OverviewSkeleton({ children }: { children: ReactNode }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-4">
      {children}
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-20" />
        ))}
      </div>
      <Card title="Running now">
        <SkeletonRows rows={4} />
      </Card>
    </div>
  )
}

function NothingYet() {
  return (
    <Card>
      <EmptyState
        icon={Gauge}
        title="Nothing has run yet"
        action={
          <Button asChild tone="primary">
            <Link href="/pipelines">Run an example</Link>
          </Button>
        }
      >
        Run an example from Pipelines, watch it live, and approve it when it asks you.
      </EmptyState>
    </Card>
  )
}

function Approvals({ items }: { items: readonly ApprovalSummary[] }) {
  if (items.length === 0)
    return <p className="px-4 py-6 text-center text-muted">Nobody is waiting for a decision.</p>
  return (
    <ul>
      {items.map((item) => (
        <li
          key={`${item.execution_id} ${item.node_id}`}
          className="relative flex min-h-11 items-center gap-3 border-b border-line px-4 last:border-0 hover:bg-sunken"
        >
          <Hourglass aria-hidden className="size-4 shrink-0 text-waiting" />
          <Link
            href={`/executions/${item.execution_id}/graph?node=${item.node_id}`}
            className="truncate font-medium after:absolute after:inset-0"
          >
            <PipelineName id={item.pipeline_id} />
            <span className="ml-2 text-xs font-normal text-muted">
              <NodeName pipelineId={item.pipeline_id} nodeId={item.node_id} />
            </span>
          </Link>
          {item.run_mocked && <MockMark className="ml-auto" />}
          <RelativeTime
            at={item.opened_at}
            className={cn('shrink-0 text-xs text-faint', !item.run_mocked && 'ml-auto')}
          />
        </li>
      ))}
    </ul>
  )
}

function Figure({
  label,
  value,
  note,
  href,
  status,
}: {
  label: string
  value: number
  note: string
  href: string
  status?: string | undefined
}) {
  return (
    <div className="relative rounded-lg border border-line bg-surface px-4 py-3 shadow-card transition-colors duration-150 hover:border-line-strong">
      <dt className="text-xs text-muted">
        <Link href={href} className="after:absolute after:inset-0">
          {label}
        </Link>
      </dt>
      <dd className="mt-1 flex items-baseline gap-2">
        <span
          data-status={status}
          className={`text-2xl leading-8 font-semibold ${status === undefined ? '' : 'status-ink'}`}
        >
          {value}
        </span>
        <span className="truncate text-xs text-faint">{note}</span>
      </dd>
    </div>
  )
}

type Processes = { readonly total: number | null; readonly in_use: number; readonly queued: number }

function Slots({
  total,
  used,
  queued,
  processes,
}: {
  total: number
  used: number
  queued: number
  processes: Processes
}) {
  const share = total === 0 ? 0 : Math.min(1, used / total)
  return (
    <div className="rounded-lg border border-line bg-surface px-4 py-3 shadow-card">
      <dt className="text-xs text-muted">Slots in use</dt>
      <dd className="mt-1">
        <span className="flex items-baseline gap-2">
          <span className="text-2xl leading-8 font-semibold">{used}</span>
          <span className="truncate text-xs text-faint">
            of {total}
            {queued > 0 && `, ${queued} queued`}
          </span>
        </span>
        <span aria-hidden className="mt-1 block h-1 overflow-hidden rounded-full bg-line">
          <span
            className="block h-full bg-accent transition-[width] duration-200"
            style={{ width: `${share * 100}%` }}
          />
        </span>
        {processes.queued > 0 && processes.total !== null && processes.in_use >= processes.total && (
          <span className="mt-1.5 block text-xs text-muted">
            {processes.in_use} of {processes.total} child processes busy
          </span>
        )}
      </dd>
    </div>
  )
}
