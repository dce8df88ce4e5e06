'use client'

import { useEffect, useId, useMemo, useRef, useState, type RefObject } from 'react'
import { useListShortcuts } from '@/components/ui/listed-shortcuts'
import { useNow } from '@/components/ui/time'
import type { Segment } from '@/core/engine/timeline/chain'
import type { Event } from '@/core/engine/event'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { NodeView } from '@/core/engine/view/view'
import { layoutBars } from './bar-layout'
import { BarTip, type Tip } from './bar-tip'
import { ChainLine } from './chain-line'
import { barsOf } from './rows'
import { AXIS_PX, TimelineAxis } from './timeline-axis'
import { TimelineLayers } from './timeline-layers'
import { cellIdOf, type RowActions } from './timeline-row'
import { TimelineRows } from './timeline-rows'
import { TimelineTools } from './timeline-tools'
import { useChartData } from './use-chart-data'
import { useFocusedRect } from './use-focused-rect'
import { useRowFocus } from './use-row-focus'
import { useTimelineKeys } from './use-timeline-keys'
import { useZoom } from './use-zoom'

/** Below this width names are above their bars. */
const NARROW_PX = 640
const NAMES_PX = 224

const SHORTCUTS = [
  {
    title: 'Timeline',
    rows: [
      { keys: ['↑', '↓'], text: 'Previous or next row' },
      { keys: ['←', '→'], text: 'Previous or next bar; fold or unfold items' },
      { keys: ['Enter'], text: 'Open the node' },
      { keys: ['+', '−'], text: 'Zoom in or out' },
      { keys: ['Shift+←', 'Shift+→'], text: 'Earlier or later' },
      { keys: ['1'], text: 'Fit the whole run' },
    ],
  },
]

const HELP =
  'Use the up and down arrows to move between rows, and left and right to move between bars and to unfold items. ' +
  'Enter opens the node, plus and minus zoom, 1 fits the whole run.'

type TimelineChartProps = {
  /** Folded in place; `events` is another array whenever there are more. */
  timeline: Timeline
  events: readonly Event[]
  nodes: { readonly [id: string]: Pick<NodeView, 'status' | 'error'> }
  /** The part of the critical path that has not ended. */
  ahead?: readonly string[]
  /** The instant of the past that `nodes` are of, with its critical path: what came later is drawn pale. */
  past?: { readonly at: number; readonly chain: readonly Segment[] } | null
  /** Milliseconds since the epoch, for what has a present of its own; absent: the present of the page. */
  present?: number
  selected: string | null
  onSelect: (node: string | null) => void
}

/** The timeline of a run: what every node did and when, the critical path, and idle time drawn short. */
export function TimelineChart(props: TimelineChartProps) {
  const { timeline, events, nodes, ahead = NOTHING, past = null, selected, onSelect } = props
  const prefix = useId()
  const now = useNow()
  const end = timeline.closedAt ?? props.present ?? Math.max(now, timeline.at)
  const [isTrue, setTrue] = useState(false)
  const [unfolded, toggle] = useUnfolded()
  const [pointed, setPointed] = useState<Tip | null>(null)
  const grid = useRef<HTMLDivElement>(null)
  const track = useRef<HTMLDivElement>(null)
  const narrow = useWidth(grid) < NARROW_PX
  const width = useWidth(track)
  useListShortcuts(SHORTCUTS)

  const data = useChartData({ timeline, events, end, unfolded, isTrue, ahead, past, nodes })
  const zoom = useZoom(data.scale, { area: grid, track, width })
  const { view } = zoom
  const focus = useRowFocus(grid, data.rows, { initial: selected, narrow, top: AXIS_PX })
  const row = data.rows[focus.active]
  const bars = row === undefined ? [] : layoutBars(barsOf(timeline, row), view, end)
  const cell = Math.min(focus.cell, bars.length)
  const cellId = cellIdOf(prefix, focus.active, cell)
  // The focused bar shows its times as the one under the pointer does.
  const focused = useFocusedRect(grid, cellId, view)
  const tip = pointed ?? tipOf(row?.name, bars[cell - 1]?.bar, focused.rect)

  const press = useTimelineKeys({
    grid,
    position: { rows: data.rows, active: focus.active, cell, cells: bars.length },
    focus,
    zoom,
    toggle,
    open: () => onSelect(row?.node ?? null),
    leave: () => {
      focused.clear()
      onSelect(null)
    },
  })
  const on = useStableActions({
    choose: ({ key, node }, to) => {
      if (zoom.wasDragged()) return
      focus.set(key, to)
      onSelect(node)
    },
    toggle: ({ node }) => toggle(node),
    point: ({ name }, bar, rect) => setPointed(tipOf(name, bar, rect)),
  })

  return (
    <section aria-label="Timeline" className="flex min-h-0 flex-1 flex-col bg-surface">
      <TimelineTools
        arranged={data.arranged}
        broken={data.breaks}
        isTrue={isTrue}
        onTrue={setTrue}
        onZoom={zoom.zoom}
        onFit={zoom.fit}
      >
        <ChainLine
          chain={data.chain}
          nameOf={(node) => timeline.pipeline.nodes.get(node)?.definition.name ?? node}
          onSelect={onSelect}
        />
      </TimelineTools>
      <div
        ref={grid}
        role="treegrid"
        tabIndex={0}
        aria-label="What each node did over time"
        aria-describedby={`${prefix}-help`}
        aria-rowcount={data.rows.length + 1}
        aria-activedescendant={cellId}
        onKeyDown={press}
        {...focused.handlers}
        style={{ '--tracks': `${NAMES_PX}px minmax(0, 1fr)` } as React.CSSProperties}
        className="group/grid relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-none select-none"
        {...zoom.handlers}
      >
        <TimelineAxis track={track} view={view} zero={timeline.createdAt} narrow={narrow} />
        <div
          role="rowgroup"
          className="relative min-h-[calc(100%-31px)]"
          style={{ height: focus.virtual.getTotalSize() }}
        >
          <TimelineLayers
            view={view}
            left={narrow ? 0 : NAMES_PX}
            selection={zoom.selection}
            pastAt={past?.at ?? null}
          />
          <TimelineRows {...{ data, nodes, focus, cell, selected, view, end, narrow, prefix, on }} />
        </div>
      </div>
      <p id={`${prefix}-help`} className="sr-only">
        {HELP}
      </p>
      {tip !== null && <BarTip tip={tip} end={end} />}
    </section>
  )
}

const NOTHING: readonly string[] = []

/** The content width of an element in pixels; 0 before it is measured. */
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

/** The nodes whose items are shown, and what folds or unfolds one. */
function useUnfolded(): readonly [ReadonlySet<string>, (node: string) => void] {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const toggle = (node: string) => {
    const next = new Set(unfolded)
    if (!next.delete(node)) next.add(node)
    setUnfolded(next)
  }
  return [unfolded, toggle]
}

/** One object for all renders that always acts as the latest: rows that get it are not drawn again. */
function useStableActions(actions: RowActions): RowActions {
  const latest = useRef(actions)
  latest.current = actions
  return useMemo(
    (): RowActions => ({
      choose: (...what) => latest.current.choose(...what),
      toggle: (...what) => latest.current.toggle(...what),
      point: (...what) => latest.current.point(...what),
    }),
    [],
  )
}

function tipOf(
  name: string | undefined,
  bar: Tip['bar'] | null | undefined,
  rect: DOMRect | null,
): Tip | null {
  return name === undefined || bar === null || bar === undefined || rect === null ? null : { name, bar, rect }
}
