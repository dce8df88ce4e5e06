'use client'

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useMemo, useRef, useState, type RefObject } from 'react'
import { cn } from '@/components/ui/class-names'
import { useListShortcuts } from '@/components/ui/listed-shortcuts'
import { useNow } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { criticalChain, type Segment } from '@/core/engine/timeline/chain'
import type { Event } from '@/core/engine/event'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { NodeView } from '@/core/engine/view/view'
import { BarTip, type Tip } from './bar-tip'
import { ChainLine } from './chain-line'
import { barsOf, rowsOf } from './rows'
import { scaleOf } from './scale'
import { ticksOf } from './ticks'
import { pixelOf } from './viewport'
import { TimelineRow, cellIdOf, placeBars, type RowActions } from './timeline-row'
import { TimelineTools } from './timeline-tools'
import { useTimelineKeys, type Place } from './use-timeline-keys'
import { useZoom } from './use-zoom'

const WIDE_ROW = 32
const NARROW_ROW = 44
/** Below this width names stand above their bars. */
const NARROW_PX = 640
const NAMES_PX = 224
const AXIS = 30

const SHORTCUTS = [
  {
    title: 'Timeline',
    rows: [
      { keys: ['↑', '↓'], text: 'The row before or after' },
      { keys: ['←', '→'], text: 'The bar before or after; fold or unfold items' },
      { keys: ['Enter'], text: 'Open the node beside' },
      { keys: ['+', '−'], text: 'Zoom in or out' },
      { keys: ['Shift+←', 'Shift+→'], text: 'Earlier or later' },
      { keys: ['1'], text: 'Fit the whole run' },
    ],
  },
]

const HELP =
  'Up and down go from row to row, left and right from bar to bar and unfold items, Enter opens the node, ' +
  'plus and minus zoom, 1 fits the whole run.'

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (element.current === null) return
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    watch.observe(element.current)
    return () => watch.disconnect()
  }, [element])
  return width
}

/** The timeline of the run: what every node did and when, the critical path, and what nothing moved in drawn short. */
export function TimelineChart({
  timeline,
  events,
  nodes,
  ahead = NOTHING,
  past = null,
  present,
  selected,
  onSelect,
}: {
  /** The fold goes on in place; `events` is another array whenever it did. */
  timeline: Timeline
  events: readonly Event[]
  nodes: { readonly [id: string]: Pick<NodeView, 'status'> }
  /** The part of the critical path that has not ended. */
  ahead?: readonly string[]
  /** The instant of the past that `nodes` are of, with its critical path: what came later is drawn pale. */
  past?: { readonly at: number; readonly chain: readonly Segment[] } | null
  /** Milliseconds since the epoch, for what has a present of its own; absent: the present of the page. */
  present?: number
  selected: string | null
  onSelect: (node: string | null) => void
}) {
  const prefix = useId()
  const now = useNow()
  const end = timeline.closedAt ?? present ?? Math.max(now, timeline.at)
  const [isTrue, setTrue] = useState(false)
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const [place, setPlace] = useState<Place>({ key: selected ?? '', cell: 0 })
  const [tip, setTip] = useState<Tip | null>(null)
  const grid = useRef<HTMLDivElement>(null)
  const track = useRef<HTMLDivElement>(null)
  const total = useWidth(grid)
  const width = useWidth(track)
  const narrow = total < NARROW_PX
  useListShortcuts(SHORTCUTS)

  // The fold goes on in place: what is made of it is made anew whenever there are more events.
  const latest = useMemo(() => ({ timeline, events: events.length }), [timeline, events])
  const rows = useMemo(() => rowsOf(latest.timeline, unfolded), [latest, unfolded])
  const scales = useMemo(
    () => ({
      broken: scaleOf(latest.timeline.createdAt, end, latest.timeline.idle, false),
      true: scaleOf(latest.timeline.createdAt, end, latest.timeline.idle, true),
    }),
    [latest, end],
  )
  const scale = isTrue ? scales.true : scales.broken
  const chain = useMemo(
    () => past?.chain ?? criticalChain(latest.timeline, end, ahead),
    [latest, end, ahead, past],
  )
  const chainOf = useMemo(() => byNode(chain), [chain])
  const zoom = useZoom(scale, { area: grid, track, width })
  const { view } = zoom

  const found = useMemo(() => rows.findIndex(({ key }) => key === place.key), [rows, place.key])
  const active = found < 0 ? 0 : found
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => grid.current,
    estimateSize: () => (narrow ? NARROW_ROW : WIDE_ROW),
    overscan: 6,
    scrollPaddingStart: AXIS,
    rangeExtractor: (range) =>
      rows.length === 0
        ? []
        : [...new Set([...defaultRangeExtractor(range), active])].toSorted((a, b) => a - b),
  })
  useEffect(() => virtual.measure(), [narrow, virtual])

  const row = rows[active]
  const cells = row === undefined ? [] : placeBars(barsOf(timeline, row), view, end)
  const cell = Math.min(place.cell, cells.length)

  const toggle = (node: string) => {
    const next = new Set(unfolded)
    if (!next.delete(node)) next.add(node)
    setUnfolded(next)
  }
  const go = (index: number, to = 0) => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))]
    if (row === undefined) return
    setPlace({ key: row.key, cell: to })
    virtual.scrollToIndex(rows.indexOf(row))
  }
  const press = useTimelineKeys({
    grid,
    rows,
    active,
    cell,
    cells: cells.length,
    page: Math.max(1, Math.floor((grid.current?.clientHeight ?? 0) / WIDE_ROW) - 2),
    go,
    toggle,
    zoom,
    open: () => onSelect(row?.node ?? null),
    leave: () => {
      setAnchor(null)
      onSelect(null)
    },
  })
  const id = cellIdOf(prefix, active, cell)
  // What has the focus tells its times as what is pointed at does.
  const [anchor, setAnchor] = useState<DOMRect | null>(null)
  useEffect(() => setAnchor(rectOfFocus(grid.current, id)), [id, view.from, view.to, width])
  const focused = cells[cell - 1]?.bar
  const shown =
    tip ??
    (anchor === null || focused === undefined ? null : { name: row?.name ?? '', bar: focused, rect: anchor })

  const acts = useRef<RowActions | null>(null)
  acts.current = {
    choose: ({ key, node }, to) => {
      if (zoom.wasDragged()) return
      setPlace({ key, cell: to })
      onSelect(node)
    },
    toggle: ({ node }) => toggle(node),
    point: ({ name }, bar, rect) => setTip(bar === null || rect === null ? null : { name, bar, rect }),
  }
  const on = useMemo(
    (): RowActions => ({
      choose: (...what) => acts.current?.choose(...what),
      toggle: (...what) => acts.current?.toggle(...what),
      point: (...what) => acts.current?.point(...what),
    }),
    [],
  )

  const nameOf = (node: string) => timeline.pipeline.nodes.get(node)?.definition.name ?? node
  const left = narrow ? 0 : NAMES_PX
  const breaks = scale.breaks.map(({ from, to }) => {
    const label = labelPixel(pixelOf(view, from), pixelOf(view, to), width)
    return { from, to, label }
  })
  const ticks = ticksOf(view, timeline.createdAt).filter(
    ({ pixel }) =>
      !breaks.some(({ label }) => pixel < label + LABEL_PX && pixel + TICK_PX > label - LABEL_PX),
  )
  return (
    <section aria-label="Timeline" className="flex min-h-0 flex-1 flex-col bg-surface">
      <TimelineTools
        broken={scales.broken.breaks.length}
        isTrue={isTrue}
        onTrue={setTrue}
        onZoom={zoom.zoom}
        onFit={zoom.fit}
      />
      <ChainLine chain={chain} nameOf={nameOf} onSelect={onSelect} />
      <div
        ref={grid}
        role="treegrid"
        tabIndex={0}
        aria-label="What each node did over time"
        aria-describedby={`${prefix}-help`}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={id}
        onKeyDown={press}
        onFocus={() => setAnchor(rectOfFocus(grid.current, id))}
        onBlur={() => setAnchor(null)}
        style={{ '--tracks': `${NAMES_PX}px minmax(0, 1fr)` } as React.CSSProperties}
        className="group/grid relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-none select-none"
        {...zoom.handlers}
      >
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
          <div
            role="row"
            aria-rowindex={1}
            style={{ height: AXIS }}
            className={cn('text-xs text-faint', !narrow && 'grid grid-cols-(--tracks)')}
          >
            <div
              role="columnheader"
              aria-colindex={1}
              className={cn('flex items-center border-r border-line px-3', narrow && 'sr-only')}
            >
              Node
            </div>
            <div
              ref={track}
              role="columnheader"
              aria-colindex={2}
              aria-label="Time"
              className="relative h-full overflow-hidden"
            >
              {ticks.map(({ pixel, text }) => (
                <span
                  key={text}
                  aria-hidden
                  style={{ left: pixel }}
                  className="absolute inset-y-0 flex items-center border-l border-line pl-1 font-mono whitespace-nowrap"
                >
                  {text}
                </span>
              ))}
              {breaks.map(({ from, to, label }) => (
                <span
                  key={from}
                  data-break={to - from}
                  title={`Nothing moved for ${durationText(to - from)}: drawn short`}
                  style={{ left: label }}
                  className="absolute top-1/2 -translate-1/2 rounded-sm border border-line-strong bg-sunken px-1 font-mono text-[11px] whitespace-nowrap text-muted"
                >
                  {durationText(to - from)}
                </span>
              ))}
            </div>
          </div>
        </div>
        <div
          role="rowgroup"
          className="relative min-h-[calc(100%-31px)]"
          style={{ height: virtual.getTotalSize() }}
        >
          <div
            aria-hidden
            style={{ left, width }}
            className="pointer-events-none absolute inset-y-0 overflow-hidden"
          >
            {scale.breaks.map(({ from, to }) => (
              <span
                key={from}
                style={{ left: pixelOf(view, from), width: pixelOf(view, to) - pixelOf(view, from) }}
                className="timeline-break absolute inset-y-0"
              />
            ))}
            {zoom.selection !== null && (
              <span
                style={{ left: zoom.selection.from, width: zoom.selection.to - zoom.selection.from }}
                className="absolute inset-y-0 border-x border-accent bg-accent/15"
              />
            )}
          </div>
          {past !== null && (
            <div
              aria-hidden
              data-playhead
              style={{ left, width }}
              className="pointer-events-none absolute inset-y-0 z-[5] overflow-hidden"
            >
              <span
                style={{ left: pixelOf(view, past.at), right: 0 }}
                className="absolute inset-y-0 border-l-2 border-waiting bg-surface/65"
              />
            </div>
          )}
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <div
                key={row.key}
                role="presentation"
                className="absolute inset-x-0 contain-strict"
                style={{ top: start, height: size }}
              >
                <TimelineRow
                  row={row}
                  index={index}
                  latest={latest}
                  status={row.item === null ? (nodes[row.node]?.status ?? null) : null}
                  chain={row.item === null ? (chainOf.get(row.node) ?? NONE) : NONE}
                  view={view}
                  end={end}
                  narrow={narrow}
                  active={index === active ? cell : null}
                  selected={row.node === selected && row.item === null}
                  prefix={prefix}
                  on={on}
                />
              </div>
            )
          })}
        </div>
      </div>
      <p id={`${prefix}-help`} className="sr-only">
        {HELP}
      </p>
      {shown !== null && <BarTip tip={shown} end={end} />}
    </section>
  )
}

/** Half of what the duration of a break takes. */
const LABEL_PX = 28
/** What the text of a tick takes. */
const TICK_PX = 48

/** The middle of a break, where its duration stands; at an edge so far in that it can be read. */
function labelPixel(from: number, to: number, width: number): number {
  const middle = (from + to) / 2
  return middle < 0 || middle > width ? middle : Math.max(LABEL_PX, Math.min(middle, width - LABEL_PX))
}

/** Where a cell is on the screen while the keyboard has the grid; else null. */
function rectOfFocus(grid: HTMLElement | null, cell: string): DOMRect | null {
  if (grid?.matches(':focus-visible') !== true) return null
  return document.getElementById(cell)?.getBoundingClientRect() ?? null
}

const NONE: readonly Segment[] = []
const NOTHING: readonly string[] = []

function byNode(chain: readonly Segment[]): ReadonlyMap<string, readonly Segment[]> {
  const found = new Map<string, Segment[]>()
  for (const segment of chain) {
    if (segment.node === null) continue
    const own = found.get(segment.node)
    if (own === undefined) found.set(segment.node, [segment])
    else own.push(segment)
  }
  return found
}
