'use client'

import { Minus, X } from 'lucide-react'
import { memo, useRef, useState, type KeyboardEvent } from 'react'
import type { NodeDurations, PipelineDurations } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { cn } from '@/components/ui/class-names'
import { Link } from '@/components/ui/link'
import { StatusIcon, statusText } from '@/components/ui/status'
import { Table, Th } from '@/components/ui/table'
import { RelativeTime } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import type { ExecutionStatus } from '@/core/engine/view/view'
import { cellText, faceOf, type Heat } from './heat'

/** Rows that are laid out at first, and each time more are asked for. */
const ROWS = 30

/** Slow is told by the height of the bar as well as by its colour. */
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

/** A cell of the map: a node in a run. It stays the same one when runs come in and others fall out. */
type Cell = { readonly node: string; readonly run: string }

/** Where a cell stands. */
type Place = { readonly row: number; readonly column: number }

/** The latest runs by node: how long each took against what is usual for it. The whole map is one stop of the keyboard. */
export function HeatMap({
  runs,
  nodes,
  total,
  nameOf,
}: {
  runs: PipelineDurations['runs']
  nodes: readonly NodeDurations[]
  /** Nodes that there are; `nodes` are those with most to tell. */
  total: number
  nameOf: (id: string) => string
}) {
  const [most, setMost] = useState(ROWS)
  const [focused, setFocused] = useState<Cell | null>(null)
  const [pointed, setPointed] = useState<Cell | null>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = nodes.slice(0, most)
  const placeOf = (cell: Cell | null): Place => ({
    row: Math.max(
      0,
      rows.findIndex(({ node_id: id }) => id === cell?.node),
    ),
    column: Math.max(
      0,
      runs.findIndex(({ execution_id: id }) => id === cell?.run),
    ),
  })
  const focus = placeOf(focused)
  const told = pointed === null ? focus : placeOf(pointed)

  function walk(event: KeyboardEvent) {
    const step = STEPS[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const within = (at: number, count: number) => Math.max(0, Math.min(count - 1, at))
    const row = within(focus.row + step.row, rows.length)
    const column = within(focus.column + step.column, runs.length)
    body.current?.rows[row]?.querySelectorAll<HTMLElement>('[data-cell]')[column]?.focus()
  }

  return (
    <Card
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
        <thead>
          <tr>
            <Th className="sticky left-0 z-20 min-w-36 bg-surface sm:min-w-48">Node</Th>
            <Th className="text-right">Usual</Th>
            {runs.map((run) => (
              <th key={run.execution_id} scope="col" className="h-9 border-b border-line p-0">
                <Link
                  href={`/executions/${run.execution_id}`}
                  tabIndex={-1}
                  aria-label={`${statusText(run.status as ExecutionStatus)}: run ${run.execution_id}`}
                  title={`${statusText(run.status as ExecutionStatus)}: run ${run.execution_id}`}
                  className="grid h-6 w-5 place-items-center rounded-sm hover:bg-sunken"
                >
                  <StatusIcon status={run.status as ExecutionStatus} className="size-3" />
                </Link>
              </th>
            ))}
          </tr>
        </thead>
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
        <Told node={rows[told.row]} run={runs[told.column]} column={told.column} nameOf={nameOf} />
        <ul aria-label="Legend" className="flex flex-wrap gap-x-3 gap-y-1 text-muted">
          {LEGEND.map(([face, text]) => (
            <li key={face} className="flex items-center gap-1.5">
              <Mark face={face} className="h-4 w-3" />
              {text}
            </li>
          ))}
        </ul>
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

const STEPS: { readonly [key: string]: Place | undefined } = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
  Home: { row: 0, column: -Infinity },
  End: { row: 0, column: Infinity },
}

function cellOf(target: EventTarget): Cell | null {
  const [node, run] =
    (target as Element).closest<HTMLElement>('[data-cell]')?.dataset['cell']?.split(' ') ?? []
  return node === undefined || run === undefined ? null : { node, run }
}

/** What the cell says that is pointed at, or else has the focus. */
function Told({
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
    <p className="mr-auto min-h-4 min-w-0" data-told={node.node_id}>
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
