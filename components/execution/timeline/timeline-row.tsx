import { ChevronRight } from 'lucide-react'
import { memo, useMemo } from 'react'
import type { Segment } from '@/core/engine/timeline/chain'
import type { Timeline } from '@/core/engine/timeline/timeline'
import { cn } from '@/components/ui/class-names'
import { StatusIcon, statusText, type Status } from '@/components/ui/status'
import { layoutBars, layoutPeriod } from './bar-layout'
import { barText, barsOf, type Bar, type Row } from './rows'
import type { Viewport } from './viewport'

export type RowActions = {
  readonly choose: (row: Row, cell: number) => void
  readonly toggle: (row: Row) => void
  readonly point: (row: Row, bar: Bar | null, rect: DOMRect | null) => void
}

/** The id of a cell: of the name (0) or of a bar (1 …). */
export const cellIdOf = (prefix: string, index: number, cell: number): string => `${prefix}-${index}-${cell}`

type RowProps = {
  row: Row
  index: number
  /** Another object whenever there are more events. */
  latest: { readonly timeline: Timeline }
  /** Of the node; null for an item. */
  status: Status | null
  /** Links of the critical path that are this node's. */
  chain: readonly Segment[]
  view: Viewport
  end: number
  /** Names are above their bars. */
  narrow: boolean
  /** The cell with the focus, or null. */
  active: number | null
  selected: boolean
  prefix: string
  on: RowActions
}

const RING = 'outline-2 -outline-offset-2 outline-transparent group-focus-visible/grid:outline-accent'

/** One row: the name, then its bars. Drawn again only when its props change: there are many rows, and the chart scrolls. */
export const TimelineRow = memo(function TimelineRow(props: RowProps) {
  const { row, index, narrow, selected } = props
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
      <NameCell {...props} />
      <BarCells {...props} />
    </div>
  )
})

function NameCell({ row, index, status, chain, narrow, active, prefix, on }: RowProps) {
  return (
    <div
      role="rowheader"
      id={cellIdOf(prefix, index, 0)}
      aria-colindex={1}
      onClick={() => on.choose(row, 0)}
      className={cn(
        'flex min-w-0 cursor-pointer items-center gap-1.5 px-3 text-xs',
        narrow ? 'h-5 pt-1' : 'border-r border-line',
        row.item !== null && 'pl-8 text-muted',
        active === 0 && RING,
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
  )
}

function BarCells({ row, index, latest, chain, view, end, active, prefix, on }: RowProps) {
  const bars = useMemo(() => layoutBars(barsOf(latest.timeline, row), view, end), [latest, row, view, end])
  return (
    <div role="presentation" className="relative min-h-0 flex-1 overflow-hidden">
      {bars.map(({ bar, left, width }, at) => (
        <div
          key={at}
          role="gridcell"
          id={cellIdOf(prefix, index, at + 1)}
          aria-colindex={at + 2}
          aria-label={barText(bar, end)}
          data-kind={bar.kind}
          data-status={bar.status}
          data-from={bar.from}
          data-to={bar.to ?? undefined}
          // A bar that is too short to be seen beside its neighbours is drawn in front of them.
          style={{ left, width, ...(width < 8 ? { zIndex: 1 } : {}) }}
          onClick={() => on.choose(row, at + 1)}
          onPointerEnter={(event) => on.point(row, bar, event.currentTarget.getBoundingClientRect())}
          onPointerLeave={() => on.point(row, null, null)}
          className={cn(
            'timeline-bar absolute top-1/2 h-4 -translate-y-1/2 cursor-pointer rounded-sm',
            active === at + 1 && RING,
            active === at + 1 && 'outline-offset-1',
          )}
        />
      ))}
      {bars.length === 0 && (
        <div role="gridcell" id={cellIdOf(prefix, index, 1)} aria-colindex={2} className="sr-only">
          nothing in view
        </div>
      )}
      {chain.map((link) => {
        const drawn = layoutPeriod(link, view, 2)
        if (drawn === null) return null
        return (
          <span
            key={link.from}
            aria-hidden
            style={drawn}
            className="pointer-events-none absolute bottom-0.5 h-[3px] rounded-full bg-accent"
          />
        )
      })}
    </div>
  )
}
