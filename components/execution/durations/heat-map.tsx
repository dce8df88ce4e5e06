'use client'

import { Minus, X } from 'lucide-react'
import { memo, useRef, useState, type KeyboardEvent } from 'react'
import type { NodeDurations, PipelineDurations } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { cn } from '@/components/ui/class-names'
import { Link } from '@/components/ui/link'
import { runStatus, runText } from '@/components/ui/run-badge'
import { StatusIcon } from '@/components/ui/status'
import { Table, Th } from '@/components/ui/table'
import { RelativeTime } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { cellText, faceOf, type Heat } from './heat'
import { movedBy, positionOf, type HeatCell } from './heat-cell'

/** Rows that are laid out at first, and with each request for more. */
const ROWS = 30

/** The height of a bar shows how slow a node was, as its colour does. */
const BARS: Record<Heat, string> = {
  fast: 'h-1/5 bg-accent/45',
  usual: 'h-2/5 bg-accent/45',
  slow: 'h-3/5 bg-warning/60',
  slower: 'h-4/5 bg-warning/80',
  slowest: 'h-full bg-warning',
}

const LEGEND = [
  ['fast', 'faster'],
  ['usual', 'as usual'],
  ['slow', 'over 1.5 times'],
  ['slower', 'over 2.5 times'],
  ['slowest', 'over 5 times'],
  ['failed', 'failed'],
  ['ended', 'skipped or cancelled'],
] as const

/** The latest runs by node: how long each took against what is usual for it. The whole map is one tab stop. */
export function HeatMap({
  runs,
  nodes,
  total,
  nameOf,
}: {
  runs: PipelineDurations['runs']
  nodes: readonly NodeDurations[]
  /** All nodes; `nodes` are those that took longest in sum. */
  total: number
  nameOf: (id: string) => string
}) {
  const [most, setMost] = useState(ROWS)
  const [focused, setFocused] = useState<HeatCell | null>(null)
  const [pointed, setPointed] = useState<HeatCell | null>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = nodes.slice(0, most)
  const focus = positionOf(focused, rows, runs)
  const described = pointed === null ? focus : positionOf(pointed, rows, runs)

  function walk(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const next = movedBy(event.key, focus, { rows: rows.length, columns: runs.length })
    if (next === null) return
    event.preventDefault()
    body.current?.rows[next.row]?.querySelectorAll<HTMLElement>('[data-cell]')[next.column]?.focus()
  }

  return (
    <Card
      className="w-fit max-w-full"
      title="Durations by run"
      action={<span className="hidden text-xs text-faint sm:inline">the newest run first</span>}
    >
      <p className="sr-only" id="heat-map-help">
        A table of nodes by run. The arrow keys go from cell to cell; Enter opens the run with the node.
      </p>
      <Table
        label="Durations of nodes by run"
        aria-describedby="heat-map-help"
        role="grid"
        className="w-auto"
      >
        <HeatHead runs={runs} />
        <tbody
          ref={body}
          onKeyDown={walk}
          onPointerLeave={() => setPointed(null)}
          onPointerOver={(event) => setPointed(cellOf(event.target))}
          onFocus={(event) => {
            const cell = cellOf(event.target)
            if (cell !== null) setFocused(cell)
          }}
        >
          {rows.map((node, row) => (
            <HeatRow
              key={node.node_id}
              node={node}
              name={nameOf(node.node_id)}
              runs={runs}
              stop={focus.row === row ? focus.column : null}
            />
          ))}
        </tbody>
      </Table>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-2 text-xs">
        <CellSummary
          node={rows[described.row]}
          run={runs[described.column]}
          column={described.column}
          nameOf={nameOf}
        />
        <HeatLegend />
      </div>
      {(nodes.length > most || total > nodes.length) && (
        <div className="flex items-center justify-center gap-3 border-t border-line p-2 text-xs text-faint">
          {nodes.length > most ? (
            <Button size="small" onClick={() => setMost(most + ROWS)}>
              Show {Math.min(ROWS, nodes.length - most)} more nodes
            </Button>
          ) : (
            `The ${nodes.length} nodes of ${total} that added most`
          )}
        </div>
      )}
    </Card>
  )
}

function HeatHead({ runs }: { runs: PipelineDurations['runs'] }) {
  return (
    <thead>
      <tr>
        <Th className="sticky left-0 z-20 min-w-36 bg-surface sm:min-w-48">Node</Th>
        <Th className="text-right">Usual</Th>
        {runs.map((run) => (
          <th key={run.execution_id} scope="col" className="h-9 border-b border-line p-0">
            <Link
              href={`/executions/${run.execution_id}`}
              tabIndex={-1}
              aria-label={`${runText(run)}${run.mocked ? ', with mocks' : ''}: run ${run.execution_id}`}
              title={`${runText(run)}${run.mocked ? ', with mocks' : ''}: run ${run.execution_id}`}
              className="grid h-6 w-5 place-items-center rounded-sm hover:bg-sunken"
            >
              <StatusIcon status={runStatus(run)} className="size-3" />
            </Link>
          </th>
        ))}
      </tr>
    </thead>
  )
}

function HeatLegend() {
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-3 gap-y-1 text-muted">
      {LEGEND.map(([face, text]) => (
        <li key={face} className="flex items-center gap-1.5">
          <Mark face={face} className="h-4 w-3" />
          {text}
        </li>
      ))}
    </ul>
  )
}

function cellOf(target: EventTarget): HeatCell | null {
  const [node, run] =
    (target as Element).closest<HTMLElement>('[data-cell]')?.dataset['cell']?.split(' ') ?? []
  return node === undefined || run === undefined ? null : { node, run }
}

/** Describes the cell under the pointer, or else the one with the focus. */
function CellSummary({
  node,
  run,
  column,
  nameOf,
}: {
  node: NodeDurations | undefined
  run: PipelineDurations['runs'][number] | undefined
  column: number
  nameOf: (id: string) => string
}) {
  if (node === undefined || run === undefined) return null
  return (
    <p className="mr-auto min-h-4 min-w-0" data-summary={node.node_id}>
      <span className="font-medium">{nameOf(node.node_id)}</span>{' '}
      <span className="text-muted">{cellText(node.cells[column] ?? null, node.median_ms)}</span>{' '}
      <span className="text-faint">
        · revision {run.revision}, <RelativeTime at={run.started_at ?? run.created_at} />
      </span>
    </p>
  )
}

const HeatRow = memo(function HeatRow({
  node,
  name,
  runs,
  stop,
}: {
  node: NodeDurations
  name: string
  runs: PipelineDurations['runs']
  /** The column that the keyboard stops at, where it is in this row. */
  stop: number | null
}) {
  return (
    <tr className="border-b border-line last:border-0 hover:bg-sunken">
      <th
        scope="row"
        title={node.node_id}
        className="sticky left-0 z-10 h-8 max-w-36 truncate bg-surface px-3 text-left font-medium sm:max-w-64 sm:px-4"
      >
        {name}
      </th>
      <td className="px-3 text-right font-mono text-xs whitespace-nowrap text-muted sm:px-4">
        {node.median_ms === null ? '–' : durationText(node.median_ms)}
      </td>
      {node.cells.map((cell, column) => {
        const run = runs[column]
        if (run === undefined) return null
        return (
          <td key={run.execution_id} className="p-0">
            <Link
              href={`/executions/${run.execution_id}/graph?node=${encodeURIComponent(node.node_id)}`}
              data-cell={`${node.node_id} ${run.execution_id}`}
              tabIndex={stop === column ? 0 : -1}
              aria-label={`${name}, run ${run.execution_id}: ${cellText(cell, node.median_ms)}`}
              className="grid h-8 w-5 place-items-center rounded-sm hover:bg-line focus-visible:outline-offset-0"
            >
              <Mark face={faceOf(cell, node.median_ms)} className="h-6 w-3.5" />
            </Link>
          </td>
        )
      })}
    </tr>
  )
})

function Mark({ face, className }: { face: ReturnType<typeof faceOf>; className: string }) {
  if (face === 'none') return null
  const box = 'flex items-end overflow-hidden rounded-[3px]'
  if (face === 'failed')
    return (
      <span
        aria-hidden
        data-face={face}
        className={cn(box, 'items-center justify-center bg-failed', className)}
      >
        <X strokeWidth={3} className="size-3 text-surface" />
      </span>
    )
  if (face === 'ended')
    return (
      <span aria-hidden data-face={face} className={cn(box, 'items-center justify-center', className)}>
        <Minus className="size-3 text-faint" />
      </span>
    )
  return (
    <span aria-hidden data-face={face} className={cn(box, 'bg-line/60', className)}>
      <span className={cn('w-full', BARS[face])} />
    </span>
  )
}
