import { ChevronRight } from 'lucide-react'
import { memo, useMemo } from 'react'
import type { Segment } from '@/core/engine/timeline/chain'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { NodeStatus } from '@/core/engine/view/view'
import { cn } from '@/components/ui/class-names'
import { StatusIcon, statusText } from '@/components/ui/status'
import { barText, barsOf, type Bar, type Row } from './rows'
import { pixelOf, type Viewport } from './viewport'

/** Nothing that happened is thinner than this. */
const THINNEST = 3

export type PlacedBar = { readonly bar: Bar; readonly left: number; readonly width: number }

/** The bars that are seen, by pixel. Of those that would cover the same pixel with the same hatching only the first is drawn. */
export function placeBars(bars: readonly Bar[], view: Viewport, end: number): readonly PlacedBar[] {
  const placed: PlacedBar[] = []
  const drawnTo: Partial<Record<string, number>> = {}
  for (const bar of bars) {
    const left = pixelOf(view, bar.from)
    const right = Math.max(left + THINNEST, pixelOf(view, bar.to ?? end))
    if (right < 0 || left > view.width) continue
    const look = `${bar.kind} ${bar.status}`
    if (right <= (drawnTo[look] ?? -1)) continue
    drawnTo[look] = right
    // A browser does not paint lengths that a deep zoom would make.
    const from = Math.max(left, -20)
    placed.push({ bar, left: from, width: Math.min(right, view.width + 20) - from })
  }
  return placed
}

export type RowActions = {
  readonly choose: (row: Row, cell: number) => void
  readonly toggle: (row: Row) => void
  readonly point: (row: Row, bar: Bar | null, rect: DOMRect | null) => void
}

/** The id of a cell: of the name (0) or of a bar (1 …). */
export const cellIdOf = (prefix: string, index: number, cell: number): string => `${prefix}-${index}-${cell}`

/** One row: the name, then its bars. Drawn anew only when what it shows is another: there are many, and one scrolls. */
export const TimelineRow = memo(function TimelineRow({
  row,
  index,
  latest,
  status,
  chain,
  view,
  end,
  narrow,
  active,
  selected,
  prefix,
  on,
}: {
  row: Row
  index: number
  /** Another object whenever there are more events. */
  latest: { readonly timeline: Timeline }
  /** Of the node; null for an item. */
  status: NodeStatus | null
  /** Links of the critical path that are this node's. */
  chain: readonly Segment[]
  view: Viewport
  end: number
  /** Names stand above their bars. */
  narrow: boolean
  /** The cell with the focus, or null. */
  active: number | null
  selected: boolean
  prefix: string
  on: RowActions
}) {
  const bars = useMemo(() => placeBars(barsOf(latest.timeline, row), view, end), [latest, row, view, end])
  const cellId = (cell: number) => cellIdOf(prefix, index, cell)
  const ring = 'outline-2 -outline-offset-2 outline-transparent group-focus-visible/grid:outline-accent'
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={row.item === null ? 1 : 2}
      aria-selected={selected}
      {...(row.unfolded === null ? {} : { 'aria-expanded': row.unfolded })}
      data-row={row.key}
      className={cn(
        'absolute inset-0 border-b border-line hover:bg-sunken/60',
        narrow ? 'flex flex-col' : 'grid grid-cols-(--tracks)',
        selected && 'bg-accent-soft/60 hover:bg-accent-soft/60',
      )}
    >
      <div
        role="rowheader"
        id={cellId(0)}
        aria-colindex={1}
        onClick={() => on.choose(row, 0)}
        className={cn(
          'flex min-w-0 cursor-pointer items-center gap-1.5 px-3 text-xs',
          narrow ? 'h-5 pt-1' : 'border-r border-line',
          row.item !== null && 'pl-8 text-muted',
          active === 0 && ring,
        )}
      >
        {row.unfolded !== null && (
          <button
            type="button"
            tabIndex={-1}
            aria-label={row.unfolded ? `Fold the items of ${row.name}` : `Unfold the items of ${row.name}`}
            onClick={(event) => {
              event.stopPropagation()
              on.toggle(row)
            }}
            className="-ml-2 grid size-5 shrink-0 place-items-center rounded-sm text-faint hover:text-ink"
          >
            <ChevronRight aria-hidden className={cn('size-3.5', row.unfolded && 'rotate-90')} />
          </button>
        )}
        {status !== null && <StatusIcon status={status} className="size-3" />}
        <span className={cn('min-w-0 truncate', row.item === null && 'font-medium')}>{row.name}</span>
        {status !== null && <span className="sr-only">{statusText(status)}</span>}
        {row.items > 0 && (
          <span className="shrink-0 text-faint">{row.items === 1 ? '1 item' : `${row.items} items`}</span>
        )}
        {chain.length > 0 && <span className="sr-only">on the critical path</span>}
      </div>
      <div role="presentation" className="relative min-h-0 flex-1 overflow-hidden">
        {bars.map(({ bar, left, width }, at) => (
          <div
            key={at}
            role="gridcell"
            id={cellId(at + 1)}
            aria-colindex={at + 2}
            aria-label={barText(bar, end)}
            data-kind={bar.kind}
            data-status={bar.status}
            data-from={bar.from}
            data-to={bar.to ?? undefined}
            // What is too short to be seen beside its neighbours stands before them.
            style={{ left, width, ...(width < 8 ? { zIndex: 1 } : {}) }}
            onClick={() => on.choose(row, at + 1)}
            onPointerEnter={(event) => on.point(row, bar, event.currentTarget.getBoundingClientRect())}
            onPointerLeave={() => on.point(row, null, null)}
            className={cn(
              'timeline-bar absolute top-1/2 h-4 -translate-y-1/2 cursor-pointer rounded-sm',
              active === at + 1 && ring,
              active === at + 1 && 'outline-offset-1',
            )}
          />
        ))}
        {bars.length === 0 && (
          <div role="gridcell" id={cellId(1)} aria-colindex={2} className="sr-only">
            nothing here
          </div>
        )}
        {chain.map(({ from, to }) => {
          const left = pixelOf(view, from)
          const right = pixelOf(view, to)
          if (right < 0 || left > view.width) return null
          const start = Math.max(left, -20)
          return (
            <span
              key={from}
              aria-hidden
              style={{ left: start, width: Math.max(2, Math.min(right, view.width + 20) - start) }}
              className="pointer-events-none absolute bottom-0.5 h-[3px] rounded-full bg-accent"
            />
          )
        })}
      </div>
    </div>
  )
})
