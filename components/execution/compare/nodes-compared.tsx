'use client'

import { ArrowRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { FieldChanges } from '@/components/ui/changes-list'
import { Link } from '@/components/ui/link'
import { SortHeading } from '@/components/ui/sort-heading'
import { nodeStatus, StatusIcon, statusText } from '@/components/ui/status'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { durationText } from '@/components/ui/times'
import type { ExecutionView, NodeView } from '@/core/engine/view/view'
import { ChangeOf, PairedBars } from './comparison-parts'
import { sortNodes, type NodeComparison, type Sort } from './compare-runs'

/** Rows that are drawn at first, and with each request for more. */
const ROWS = 100

/** Every node of both runs, those that differ first, with its two durations as bars. */
export function NodesCompared({
  rows,
  before,
  after,
  nameOf,
}: {
  rows: readonly NodeComparison[]
  before: ExecutionView
  after: ExecutionView
  nameOf: (id: string) => string
}) {
  const [sort, setSort] = useState<Sort>({ by: 'difference', descending: true })
  const [onlyDifferent, setOnlyDifferent] = useState(false)
  const [most, setMost] = useState(ROWS)
  const different = rows.filter(({ differences }) => differences.length > 0)
  const sorted = useMemo(
    () => sortNodes(onlyDifferent ? rows.filter(({ differences }) => differences.length > 0) : rows, sort),
    [rows, sort, onlyDifferent],
  )
  const longest = Math.max(
    0,
    ...rows.map((row) => Math.max(row.before?.duration_ms ?? 0, row.after?.duration_ms ?? 0)),
  )
  const heading = (by: Sort['by'], text: string, className?: string) => (
    <SortHeading
      {...(className === undefined ? {} : { className })}
      sorted={sort.by !== by ? null : sort.descending ? 'descending' : 'ascending'}
      onSort={() => setSort({ by, descending: sort.by === by ? !sort.descending : by !== 'node' })}
    >
      {text}
    </SortHeading>
  )
  return (
    <Card
      title="Nodes"
      count={rows.length}
      action={
        <label className="flex items-center gap-1.5 text-xs text-muted">
          <input
            type="checkbox"
            className="size-3.5 accent-(--accent)"
            checked={onlyDifferent}
            onChange={(event) => setOnlyDifferent(event.target.checked)}
          />
          Only the {different.length} that differ
        </label>
      }
    >
      {sorted.length === 0 ? (
        <p className="px-4 py-6 text-muted">Every node ended alike in both, with the same outputs.</p>
      ) : (
        <Table label="Nodes of both runs">
          <thead>
            <tr>
              {heading('node', 'Node')}
              {heading('difference', 'Differs in')}
              <Th>Status</Th>
              <Th className="text-right">Attempts</Th>
              {heading('before', 'Baseline', 'text-right')}
              {heading('after', 'This run', 'text-right')}
              {heading('change', 'Change', 'text-right')}
              <Th className="w-48">
                <span className="sr-only">Bars</span>
              </Th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, most).map((row) => (
              <Row
                key={row.id}
                row={row}
                name={nameOf(row.id)}
                longest={longest}
                href={`/executions/${(row.after === null ? before : after).execution_id}/graph?node=${encodeURIComponent(row.id)}`}
              />
            ))}
          </tbody>
        </Table>
      )}
      {sorted.length > most && (
        <div className="flex justify-center border-t border-line p-2">
          <Button size="small" onClick={() => setMost(most + ROWS)}>
            Show {Math.min(ROWS, sorted.length - most)} of {sorted.length - most} more
          </Button>
        </div>
      )}
    </Card>
  )
}

const WORDS = {
  presence: 'revision',
  status: 'status',
  attempts: 'attempts',
  outputs: 'outputs',
  duration: 'duration',
} as const

function Row({
  row,
  name,
  longest,
  href,
}: {
  row: NodeComparison
  name: string
  longest: number
  href: string
}) {
  const [open, setOpen] = useState(false)
  const { before, after, differences, outputs, slowerMs } = row
  return (
    <>
      <Tr data-node-row={row.id}>
        <Td className="max-w-56 truncate font-medium">
          <Link href={href} title={row.id} className="rounded-sm hover:text-accent">
            {name}
          </Link>
        </Td>
        <Td className="text-muted">
          {differences.length === 0 ? (
            <span className="text-faint">nothing</span>
          ) : (
            differences.map((each, at) => (
              <span key={each}>
                {at > 0 && ', '}
                {each === 'outputs' ? (
                  <button
                    type="button"
                    aria-expanded={open}
                    onClick={() => setOpen(!open)}
                    className="rounded-sm font-medium text-accent hover:underline"
                  >
                    outputs
                  </button>
                ) : (
                  WORDS[each]
                )}
              </span>
            ))
          )}
        </Td>
        <Td>
          <span className="flex items-center gap-1.5">
            <Status node={before} />
            {before?.status !== after?.status && (
              <>
                <ArrowRight role="img" aria-label="now" className="size-3.5 shrink-0 text-faint" />
                <Status node={after} />
              </>
            )}
          </span>
        </Td>
        <Td className="text-right font-mono text-xs">
          {before?.attempts === after?.attempts
            ? after?.attempts
            : `${before?.attempts ?? '–'} → ${after?.attempts ?? '–'}`}
        </Td>
        <Td className="text-right font-mono text-xs">{took(before)}</Td>
        <Td className="text-right font-mono text-xs">{took(after)}</Td>
        <Td className="text-right">
          <ChangeOf ms={slowerMs} notable={differences.includes('duration')} />
        </Td>
        <Td className="min-w-32">
          <PairedBars
            before={before?.duration_ms ?? null}
            after={after?.duration_ms ?? null}
            longest={longest}
          />
        </Td>
      </Tr>
      {open && (
        <tr className="border-b border-line bg-sunken/50">
          <td colSpan={8} className="max-w-0 px-4 py-3 sm:px-6">
            <FieldChanges fields={outputs} />
          </td>
        </tr>
      )}
    </>
  )
}

const took = (node: NodeView | null): string =>
  node?.duration_ms == null ? '–' : durationText(node.duration_ms)

function Status({ node }: { node: NodeView | null }) {
  if (node === null) return <span className="text-faint">not in its revision</span>
  return (
    <span className="inline-flex items-center gap-1">
      <StatusIcon status={nodeStatus(node)} />
      {statusText(nodeStatus(node))}
    </span>
  )
}
