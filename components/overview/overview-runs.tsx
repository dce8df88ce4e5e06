import { Link } from '@/components/ui/link'
import type { ExecutionSummary } from '@/components/api'
import { RunBadge } from '@/components/ui/run-badge'
import { Duration, RelativeTime } from '@/components/ui/time'
import { reasonText } from '@/core/engine/rejection'
import { PipelineName } from './pipeline-name'

/** Runs for the overview, one line each. */
export function OverviewRuns({ items, empty }: { items: readonly ExecutionSummary[]; empty: string }) {
  if (items.length === 0) return <p className="px-4 py-6 text-center text-muted">{empty}</p>
  return (
    <ul>
      {items.map((row) => (
        <li
          key={row.execution_id}
          className="relative flex min-h-11 items-center gap-3 border-b border-line px-4 last:border-0 hover:bg-sunken"
        >
          <RunBadge run={row} short className="shrink-0" />
          <Link
            href={`/executions/${row.execution_id}`}
            className="max-w-[55%] shrink-0 truncate font-medium after:absolute after:inset-0"
          >
            <PipelineName id={row.pipeline_id} />
          </Link>
          <span className="hidden min-w-0 truncate text-xs text-faint sm:block">
            {row.waiting_for !== null ? (
              <span className="text-waiting">waits for {row.waiting_for}</span>
            ) : row.error === null ? (
              <code>{row.execution_id}</code>
            ) : (
              reasonText(row.error)
            )}
          </span>
          <span className="ml-auto shrink-0 text-xs text-muted">
            {row.finished_at === null ? (
              <Duration from={row.started_at ?? row.created_at} to={null} />
            ) : (
              <RelativeTime at={row.finished_at} />
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
