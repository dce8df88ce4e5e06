import type { Idle } from '@/core/engine/timeline/timeline'
import { durationText } from '@/components/ui/times'

/** A stretch of time that is drawn short, with its true length written. Instants in milliseconds since the epoch. */
export type Break = { readonly from: number; readonly to: number }

/** Where instants lie on the drawn line. Lengths on it are milliseconds, but for breaks, which are shorter than they were. */
export type Scale = {
  /** Length of the whole line. */
  readonly length: number
  readonly breaks: readonly Break[]
  /** What lies between the breaks, in order. */
  readonly stretches: readonly Break[]
  /** Position of an instant; outside of the line it is its nearer end. */
  readonly at: (instant: number) => number
  /** The reverse. */
  readonly instantAt: (position: number) => number
}

/** An idle gap is broken when it is longer than this part of the time in which something moved. */
const BROKEN_ABOVE = 0.2
/** How long a break is drawn, as a part of that time. */
const DRAWN_AS = 0.06

/** The scale from `from` to `to`; idle gaps are compressed unless `isTrue`. */
export function scaleOf(from: number, to: number, idle: readonly Idle[], isTrue: boolean): Scale {
  const end = Math.max(to, from + 1)
  const gaps = idle
    .map((gap) => ({ from: Math.max(from, gap.from), to: Math.min(end, gap.to ?? end) }))
    .filter((gap) => gap.to > gap.from)
  const moved = gaps.reduce((rest, gap) => rest - (gap.to - gap.from), end - from)
  const breaks = isTrue || moved <= 0 ? [] : gaps.filter((gap) => gap.to - gap.from > moved * BROKEN_ABOVE)
  const drawn = moved * DRAWN_AS
  const instants = [from]
  const positions = [0]
  const stretches: Break[] = []
  const knot = (instant: number, length: number) => {
    instants.push(instant)
    positions.push(positions.at(-1)! + length)
  }
  let last = from
  const stretchTo = (instant: number) => {
    if (instant <= last) return
    stretches.push({ from: last, to: instant })
    knot(instant, instant - last)
  }
  for (const gap of breaks) {
    stretchTo(gap.from)
    knot(gap.to, drawn)
    last = gap.to
  }
  stretchTo(end)
  return {
    length: positions.at(-1)!,
    breaks,
    stretches,
    at: (instant) => interpolate(instants, positions, instant),
    instantAt: (position) => interpolate(positions, instants, position),
  }
}

/** The value at `x` of the line through the knots; beyond them that of the nearer one. `xs` grow. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number): number {
  let low = 0
  let high = xs.length - 1
  if (x <= xs[0]!) return ys[0]!
  if (x >= xs[high]!) return ys[high]!
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (xs[middle]! <= x) low = middle
    else high = middle
  }
  const part = (x - xs[low]!) / (xs[high]! - xs[low]!)
  return ys[low]! + part * (ys[high]! - ys[low]!)
}

/** The part of a scale that is seen, and how wide it is drawn in pixels. */
export type Viewport = {
  readonly scale: Scale
  /** Positions on the scale. */
  readonly from: number
  readonly to: number
  readonly width: number
}

/** Pixels from the left edge of what is seen; may lie outside of it. */
export function pixelOf({ scale, from, to, width }: Viewport, instant: number): number {
  return ((scale.at(instant) - from) / (to - from)) * width
}

/** The instant under a pixel. */
export function instantUnder({ scale, from, to, width }: Viewport, pixel: number): number {
  return scale.instantAt(from + (pixel / Math.max(1, width)) * (to - from))
}

/** What is seen of a scale: instants; null shows all of it. */
export type Window = { readonly from: number; readonly to: number } | null

/** Closest that one can look at a run: this many milliseconds over the whole width. */
const CLOSEST_MS = 10

export function viewportOf(scale: Scale, window: Window, width: number): Viewport {
  if (window === null) return { scale, from: 0, to: scale.length, width }
  const from = scale.at(window.from)
  return { scale, from, to: Math.max(scale.at(window.to), from + 1), width }
}

/** Zooms by a factor (below 1: closer) around a pixel, which stays where it is. */
export function zoomed(view: Viewport, factor: number, pixel: number): Window {
  const { scale, from, to, width } = view
  const length = (to - from) * factor
  if (length >= scale.length) return null
  const kept = Math.max(length, CLOSEST_MS)
  const part = pixel / Math.max(1, width)
  return windowAt(scale, from + part * (to - from) - part * kept, kept)
}

/** Moves what is seen by pixels. */
export function panned(view: Viewport, pixels: number): Window {
  const { scale, from, to, width } = view
  if (to - from >= scale.length) return null
  return windowAt(scale, from + (pixels / Math.max(1, width)) * (to - from), to - from)
}

function windowAt(scale: Scale, from: number, length: number): Window {
  const start = Math.max(0, Math.min(from, scale.length - length))
  return { from: scale.instantAt(start), to: scale.instantAt(start + length) }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((count) => count * DAY),
]
/** Pixels that a tick needs for its text. */
const ROOM = 76

export type Tick = { readonly pixel: number; readonly text: string }

/** Round times since `zero` over what is seen, as many as there is room for; none within a break. */
export function ticksOf(view: Viewport, zero: number): readonly Tick[] {
  const { scale, from, to, width } = view
  const step = STEPS.find((each) => (each / (to - from)) * width >= ROOM) ?? STEPS.at(-1)!
  const ticks: Tick[] = []
  const earliest = scale.instantAt(from)
  const latest = scale.instantAt(to)
  for (const stretch of scale.stretches) {
    const first = Math.ceil((Math.max(stretch.from, earliest) - zero) / step)
    const last = Math.floor((Math.min(stretch.to, latest) - zero) / step)
    for (let count = first; count <= last; count += 1) {
      const pixel = pixelOf(view, zero + count * step)
      const before = ticks.at(-1)
      if (before === undefined || pixel - before.pixel >= ROOM * 0.75)
        ticks.push({ pixel, text: tickText(count * step, step) })
    }
  }
  return ticks
}

/** As exact as its step is. */
function tickText(ms: number, step: number): string {
  if (ms === 0) return '0'
  if (step >= SECOND) return ms < MINUTE ? `${ms / SECOND} s` : durationText(ms)
  const digits = step >= 100 ? 1 : step >= 10 ? 2 : 3
  const whole = Math.floor(ms / MINUTE)
  const seconds = ((ms - whole * MINUTE) / SECOND).toFixed(digits)
  return whole === 0 ? `${seconds} s` : `${durationText(whole * MINUTE).split(' ')[0]} ${seconds}s`
}
