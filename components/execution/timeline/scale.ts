import { scaleLinear } from 'd3-scale'
import type { Idle } from '@/core/engine/timeline/timeline'

/** A period that is drawn short, with its true length as text. Instants in milliseconds since the epoch. */
export type Break = { readonly from: number; readonly to: number }

/** Maps instants to positions on a line. Lengths on the line are milliseconds, except breaks, which are drawn shorter than they were. */
export type Scale = {
  /** Length of the whole line. */
  readonly length: number
  readonly breaks: readonly Break[]
  /** What lies between the breaks, in order. */
  readonly stretches: readonly Break[]
  /** Position of an instant. Instants outside of the line have the position of its nearer end. */
  readonly at: (instant: number) => number
  /** The reverse. */
  readonly instantAt: (position: number) => number
}

/** An idle gap becomes a break when it is longer than this share of the time in which something happened. */
const BROKEN_ABOVE = 0.2
/** The drawn length of a break, as a share of that time. */
const DRAWN_AS = 0.06

/** The scale from `from` to `to`; idle gaps are compressed unless `isTrue`. */
export function scaleOf(from: number, to: number, idle: readonly Idle[], isTrue: boolean): Scale {
  const end = Math.max(to, from + 1)
  const gaps = idle
    .map((gap) => ({ from: Math.max(from, gap.from), to: Math.min(end, gap.to ?? end) }))
    .filter((gap) => gap.to > gap.from)
  const busy = gaps.reduce((rest, gap) => rest - (gap.to - gap.from), end - from)
  const breaks = isTrue || busy <= 0 ? [] : gaps.filter((gap) => gap.to - gap.from > busy * BROKEN_ABOVE)
  const drawn = busy * DRAWN_AS
  // The scale is linear between these pairs.
  const instants = [from]
  const positions = [0]
  const stretches: Break[] = []
  const extend = (to: number, length: number) => {
    instants.push(to)
    positions.push(positions.at(-1)! + length)
  }
  const stretchTo = (to: number) => {
    const last = instants.at(-1)!
    if (to <= last) return
    stretches.push({ from: last, to })
    extend(to, to - last)
  }
  for (const gap of breaks) {
    stretchTo(gap.from)
    extend(gap.to, drawn)
  }
  stretchTo(end)
  const line = scaleLinear(instants, positions).clamp(true)
  return {
    length: positions.at(-1)!,
    breaks,
    stretches,
    at: line,
    instantAt: (position) => line.invert(position),
  }
}
