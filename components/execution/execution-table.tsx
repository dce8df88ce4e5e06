'use client'

import { Link } from '@/components/ui/link'
import { usePipelineName, type ExecutionSummary } from '@/components/api'
import { cn } from '@/components/ui/class-names'
import { RunBadge, runText } from '@/components/ui/run-badge'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { Duration, RelativeTime } from '@/components/ui/time'
import { reasonText, rejectedBy } from '@/core/engine/rejection'

function PipelineName({ id }: { id: string }) {
  return usePipelineName(id)
}

/** Runs, newest first. `showPipeline` is off where all are of one pipeline. */
export function ExecutionTable({
  items,
  showPipeline = true,
  chosen,
  onChoose,
}: {
  items: readonly ExecutionSummary[]
  showPipeline?: boolean
  /** Ids of the runs that an action is for. */
  chosen: ReadonlySet<string>
  onChoose: (ids: readonly string[], on: boolean) => void
}) {
  const all = items.map(({ execution_id }) => execution_id)
  const some = all.some((id) => chosen.has(id))
  return (
    <Table label="Executions">
      <thead>
        <tr>
          <Th className="w-9 pr-0">
            <input
              type="checkbox"
              aria-label="Choose all that are shown"
              className="size-3.5 align-middle accent-(--accent)"
              checked={some && all.every((id) => chosen.has(id))}
              ref={(box) => {
                if (box !== null) box.indeterminate = some && !all.every((id) => chosen.has(id))
              }}
              onChange={(event) => onChoose(all, event.target.checked)}
            />
          </Th>
          <Th>Status</Th>
          {showPipeline && <Th>Pipeline</Th>}
          <Th className="hidden md:table-cell">Run</Th>
          <Th className="hidden md:table-cell">Started by</Th>
          <Th className="text-right">Started</Th>
          <Th className="hidden text-right sm:table-cell">Took</Th>
        </tr>
      </thead>
      <tbody>
        {items.map((row) => (
          <ExecutionRow
            key={row.execution_id}
            row={row}
            showPipeline={showPipeline}
            isChosen={chosen.has(row.execution_id)}
            onChoose={(on) => onChoose([row.execution_id], on)}
          />
        ))}
      </tbody>
    </Table>
  )
}

function ExecutionRow({
  row,
  showPipeline,
  isChosen,
  onChoose,
}: {
  row: ExecutionSummary
  showPipeline: boolean
  isChosen: boolean
  onChoose: (on: boolean) => void
}) {
  return (
    <Tr className="relative">
      <Td className="w-9 pr-0">
        <label className="relative z-10 -m-2 block p-2">
          <input
            type="checkbox"
            aria-label={`Choose run ${row.execution_id}`}
            className="block size-3.5 accent-(--accent)"
            checked={isChosen}
            onChange={(event) => onChoose(event.target.checked)}
          />
        </label>
      </Td>
      <Td>
        {/* The whole row leads to the run. */}
        <Link
          href={`/executions/${row.execution_id}`}
          aria-label={`${runText(row)}${row.mocked ? ', Mocks' : ''}: run ${row.execution_id}`}
          className="rounded-full after:absolute after:inset-0"
        >
          <RunBadge run={row} short />
        </Link>
      </Td>
      {showPipeline && (
        <Td className="w-full max-w-0 py-1.5 break-words max-sm:whitespace-normal sm:w-auto sm:max-w-72 sm:truncate">
          <Link
            href={`/pipelines/${row.pipeline_id}`}
            className="relative z-10 font-medium hover:text-accent"
          >
            <PipelineName id={row.pipeline_id} />
          </Link>
          <span className="ml-1.5 text-xs text-faint">r{row.revision}</span>
          {row.waiting_for === null ? (
            <Inputs
              of={row}
              className="block truncate max-sm:line-clamp-2 max-sm:whitespace-normal md:hidden"
            />
          ) : (
            <span className="block text-xs text-waiting sm:truncate md:hidden">
              waits for {row.waiting_for}
            </span>
          )}
        </Td>
      )}
      <Td className="hidden w-full max-w-0 truncate md:table-cell">
        <code className="text-xs text-muted">{row.execution_id}</code>
        <Inputs of={row} className="ml-3" />
        {row.waiting_for !== null && (
          <span className="ml-3 text-xs text-waiting">waits for {row.waiting_for}</span>
        )}
        {row.error !== null && (
          <span
            className={cn('ml-3 text-xs', rejectedBy(row.error) === null ? 'text-failed' : 'text-rejected')}
            title={reasonText(row.error)}
          >
            {reasonText(row.error)}
          </span>
        )}
      </Td>
      <Td className="hidden text-muted md:table-cell">{row.requested_by}</Td>
      <Td className="text-right text-muted">
        <RelativeTime at={row.started_at ?? row.created_at} />
      </Td>
      <Td className="hidden text-right sm:table-cell">
        <Duration from={row.started_at ?? row.created_at} to={row.finished_at} />
      </Td>
    </Tr>
  )
}

/** The inputs of a run in one line: what tells it from others of its pipeline. */
function Inputs({ of: { inputs_preview: inputs }, className }: { of: ExecutionSummary; className: string }) {
  const all = Object.entries(inputs ?? {})
  if (all.length === 0) return null
  return (
    <span
      className={cn('text-xs text-faint', className)}
      title={all.map((each) => each.join(': ')).join('\n')}
    >
      {all.map(([name, value]) => (
        <span key={name} className="mr-2">
          {name} <span className="text-muted">{value}</span>
        </span>
      ))}
    </span>
  )
}
