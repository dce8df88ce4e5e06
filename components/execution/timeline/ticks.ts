import { scaleLinear } from 'd3-scale'
import { utcMillisecond, utcTickInterval, type TimeInterval } from 'd3-time'
import { durationText } from '@/components/ui/times'
import { pixelOf, type Viewport } from './viewport'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
/** Pixels that a tick needs for its text. */
const ROOM = 76

export type Tick = { readonly pixel: number; readonly text: string }

/** Round durations since `zero` across the viewport, as many as there is room for, and none within a break. */
export function ticksOf(view: Viewport, zero: number): readonly Tick[] {
  const { scale, from, to, width } = view
  const { interval, step } = intervalOf(to - from, width)
  const ticks: Tick[] = []
  const earliest = scale.instantAt(from)
  const latest = scale.instantAt(to)
  for (const stretch of scale.stretches) {
    const first = new Date(Math.max(stretch.from, earliest) - zero)
    // The end of a range is not part of it.
    const last = new Date(Math.min(stretch.to, latest) - zero + 1)
    for (const elapsed of interval.range(first, last).map(Number)) {
      const pixel = pixelOf(view, zero + elapsed)
      const before = ticks.at(-1)
      if (before === undefined || pixel - before.pixel >= ROOM * 0.75)
        ticks.push({ pixel, text: tickText(elapsed, step) })
    }
  }
  return ticks
}

type TickInterval = { readonly interval: TimeInterval; readonly step: number }

/** The shortest round interval of which each repetition has room for its text, when `length` milliseconds are drawn on `width` pixels. */
function intervalOf(length: number, width: number): TickInterval {
  for (let count = Math.floor(width / ROOM); count > 0; count -= 1) {
    const found = roundInterval(length, count)
    if ((found.step / length) * width >= ROOM) return found
  }
  return every(Math.ceil(length))
}

/** A round interval that fits about `count` times into `length` milliseconds. */
function roundInterval(length: number, count: number): TickInterval {
  // Elapsed time is written as a date: that many milliseconds after the epoch.
  const start = new Date(0)
  const interval = utcTickInterval(start, new Date(length), count)
  const step = interval === null ? Infinity : Number(interval.offset(start, 1))
  if (interval !== null && step <= DAY) return { interval, step }
  // Weeks, months and years of the calendar mean nothing for elapsed time: count days.
  const [zero = 0, days = length / DAY] = scaleLinear([0, length / DAY], [0, 1]).ticks(count)
  return every(Math.max(1, Math.round(days - zero)) * DAY)
}

function every(step: number): TickInterval {
  return { interval: utcMillisecond.every(step) ?? utcMillisecond, step }
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
