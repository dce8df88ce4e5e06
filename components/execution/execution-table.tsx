import Link from 'next/link'
import type { ExecutionSummary } from '@/components/api'
import type { ExecutionStatus } from '@/core/engine/view'
import { StatusBadge } from '@/components/ui/status'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { Duration, RelativeTime } from '@/components/ui/time'

/** Runs, newest first. `showPipeline` is off where all are of one pipeline. */
export function ExecutionTable({
  items,
  showPipeline = true,
}: {
  items: readonly ExecutionSummary[]
  showPipeline?: boolean
}) {
  return (
    <Table label="Executions">
      <thead>
        <tr>
          <Th>Status</Th>
          {showPipeline && <Th>Pipeline</Th>}
          <Th>Run</Th>
          <Th>Started by</Th>
          <Th className="text-right">Started</Th>
          <Th className="text-right">Took</Th>
        </tr>
      </thead>
      <tbody>
        {items.map((row) => (
          <Tr key={row.execution_id} className="relative">
            <Td>
              <StatusBadge status={row.status as ExecutionStatus} />
            </Td>
            {showPipeline && (
              <Td>
                <Link
                  href={`/pipelines/${row.pipeline_id}`}
                  className="relative z-10 font-medium hover:text-accent"
                >
                  {row.pipeline_id}
                </Link>
                <span className="ml-1.5 text-xs text-faint">r{row.revision}</span>
              </Td>
            )}
            <Td className="max-w-[28rem] truncate">
              {/* The whole row leads to the run. */}
              <Link
                href={`/executions/${row.execution_id}`}
                className="font-mono text-xs text-muted after:absolute after:inset-0 hover:text-accent"
              >
                {row.execution_id}
              </Link>
              {row.error !== null && (
                <span className="ml-3 text-xs text-failed" title={row.error.message}>
                  {row.error.message}
                </span>
              )}
            </Td>
            <Td className="text-muted">{row.requested_by}</Td>
            <Td className="text-right text-muted">
              <RelativeTime at={row.started_at ?? row.created_at} />
            </Td>
            <Td className="text-right">
              <Duration from={row.started_at ?? row.created_at} to={row.finished_at} />
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
