import { useMemo, useRef, useState } from 'react'
import { criticalChain, type Segment } from '@/core/engine/timeline/chain'
import type { Event } from '@/core/engine/event'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { NodeView } from '@/core/engine/view/view'
import { arrangeNodes, AS_DRAWN, type Arranged } from './arrange-rows'
import { rowsOf, type Row } from './rows'
import { scaleOf, type Scale } from './scale'

export type ChartData = {
  /** Another object whenever there are more events: the timeline itself is folded in place. */
  readonly latest: { readonly timeline: Timeline }
  readonly rows: readonly Row[]
  readonly scale: Scale
  /** Breaks of the scale, or those that it would have if it were not true. */
  readonly breaks: number
  readonly chain: readonly Segment[]
  readonly arranged: Arranged
}

/** What the chart draws, computed again when there are more events, when the present moves on, and when the shown part changes. */
export function useChartData({
  timeline,
  events,
  end,
  unfolded,
  isTrue,
  ahead,
  past,
  nodes,
}: {
  timeline: Timeline
  events: readonly Event[]
  end: number
  unfolded: ReadonlySet<string>
  isTrue: boolean
  ahead: readonly string[]
  past: { readonly chain: readonly Segment[] } | null
  nodes: { readonly [id: string]: Pick<NodeView, 'status'> }
}): ChartData {
  const latest = useMemo(() => ({ timeline, events: events.length }), [timeline, events])
  const scales = useMemo(
    () => ({
      broken: scaleOf(latest.timeline.createdAt, end, latest.timeline.idle, false),
      true: scaleOf(latest.timeline.createdAt, end, latest.timeline.idle, true),
    }),
    [latest, end],
  )
  const chain = useMemo(
    () => past?.chain ?? criticalChain(latest.timeline, end, ahead),
    [latest, end, ahead, past],
  )
  const [arrangement, onArrange] = useState(AS_DRAWN)
  // Statuses change many times a second, and only a filter by status looks at them.
  const statuses = arrangement.shown === 'all' ? NO_STATUSES : nodes
  const links = arrangement.shown === 'critical' ? chain : NO_LINKS
  const until = useRef(end)
  until.current = end
  const rows = useMemo(() => {
    if (arrangement === AS_DRAWN) return rowsOf(latest.timeline, unfolded)
    const critical = new Set(links.flatMap(({ node }) => node ?? []))
    const by = { statuses, critical, end: until.current }
    return rowsOf(latest.timeline, unfolded, arrangeNodes(latest.timeline, arrangement, by))
  }, [latest, unfolded, arrangement, statuses, links])
  return {
    latest,
    rows,
    scale: isTrue ? scales.true : scales.broken,
    breaks: scales.broken.breaks.length,
    chain,
    arranged: {
      ...{ arrangement, onArrange },
      found: arrangement === AS_DRAWN ? null : rows.filter(({ item }) => item === null).length,
    },
  }
}

const NO_STATUSES = {}
const NO_LINKS: readonly Segment[] = []
