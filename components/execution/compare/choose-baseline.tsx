import { useQuery } from '@tanstack/react-query'
import { GitCompareArrows } from 'lucide-react'
import { api, GOOD, problemOf, useMay, type ExecutionSummary } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Link } from '@/components/ui/link'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { RunBadge } from '@/components/ui/run-badge'
import { Duration, RelativeTime } from '@/components/ui/time'
import type { ExecutionView } from '@/core/engine/view/view'

/** Runs that are offered in addition to the last good one. */
const OFFERED = 15

/** Offers runs to compare with: first the last one before it that completed, then the latest of its pipeline. */
export function ChooseBaseline({ view }: { view: ExecutionView }) {
  const { execution_id: id, pipeline_id: pipeline } = view
  const mayOperate = useMay('operate')
  // One more than is shown: this run may be among them.
  const good = useQuery(
    api.executions.list.queryOptions({ ...GOOD, pipeline, to: view.created_at, limit: 2 }),
  )
  const recent = useQuery(api.executions.list.queryOptions({ pipeline, limit: OFFERED + 1 }))
  const error = good.error ?? recent.error
  if (error !== null)
    return (
      <ErrorState
        what="The other runs could not be loaded."
        error={problemOf(error)}
        retry={() => void Promise.all([good.refetch(), recent.refetch()])}
      />
    )
  if (good.data === undefined || recent.data === undefined) return <SkeletonRows />
  const lastGood = good.data.items.find(({ execution_id }) => execution_id !== id)
  const others = recent.data.items
    .filter(({ execution_id }) => execution_id !== id && execution_id !== lastGood?.execution_id)
    .slice(0, OFFERED)
  if (lastGood === undefined && others.length === 0)
    return (
      <Card>
        <EmptyState
          icon={GitCompareArrows}
          title="No other run yet"
          action={
            mayOperate ? (
              <Button asChild>
                <Link href={`/pipelines/${pipeline}?run`}>Run it again</Link>
              </Button>
            ) : undefined
          }
        >
          Run it again to compare the two: their inputs, how each node ended, and where the time went.
        </EmptyState>
      </Card>
    )
  return (
    <>
      <p className="text-muted">Choose a run to compare with.</p>
      {lastGood !== undefined && (
        <Card title="Last good run before this one">
          <Offers id={id} items={[lastGood]} />
        </Card>
      )}
      {others.length > 0 && (
        <Card title="Latest runs of this pipeline">
          <Offers id={id} items={others} />
        </Card>
      )}
    </>
  )
}

function Offers({ id, items }: { id: string; items: readonly ExecutionSummary[] }) {
  return (
    <ul>
      {items.map((row) => (
        <li
          key={row.execution_id}
          className="relative flex min-h-11 items-center gap-3 border-b border-line px-4 last:border-0 hover:bg-sunken"
        >
          <RunBadge run={row} short />
          <Link
            href={`/executions/${id}/compare?with=${encodeURIComponent(row.execution_id)}`}
            className="min-w-0 truncate font-mono text-xs font-medium after:absolute after:inset-0"
          >
            <span className="sr-only">Compare with </span>
            {row.execution_id}
          </Link>
          <span className="hidden text-xs text-faint sm:inline">revision {row.revision}</span>
          <span className="ml-auto flex shrink-0 items-center gap-4 text-xs text-muted">
            <Duration from={row.started_at ?? row.created_at} to={row.finished_at} />
            <RelativeTime at={row.created_at} className="hidden sm:inline" />
          </span>
        </li>
      ))}
    </ul>
  )
}
