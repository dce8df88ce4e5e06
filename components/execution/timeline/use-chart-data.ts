import { useMemo } from 'react'
import { criticalChain, type Segment } from '@/core/engine/timeline/chain'
import type { Event } from '@/core/engine/event'
import type { Timeline } from '@/core/engine/timeline/timeline'
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
}: {
  timeline: Timeline
  events: readonly Event[]
  end: number
  unfolded: ReadonlySet<string>
  isTrue: boolean
  ahead: readonly string[]
  past: { readonly chain: readonly Segment[] } | null
}): ChartData {
  const latest = useMemo(() => ({ timeline, events: events.length }), [timeline, events])
  const rows = useMemo(() => rowsOf(latest.timeline, unfolded), [latest, unfolded])
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
  return {
    latest,
    rows,
    scale: isTrue ? scales.true : scales.broken,
    breaks: scales.broken.breaks.length,
    chain,
  }
}
