import { statusText } from '@/components/ui/status'
import { durationText } from '@/components/ui/times'
import type { NodeStatus } from '@/core/engine/view/view'

/** A node in one run, as the API answers it. */
export type Cell = {
  readonly status: NodeStatus
  readonly attempts: number
  readonly duration_ms: number | null
}

/** Compared with the usual duration of the node. */
export type Heat = 'fast' | 'usual' | 'slow' | 'slower' | 'slowest'

/** Differences from the median below this are noise, also for short nodes. Milliseconds. */
const NOISE_MS = 100

export function heatOf(duration: number, median: number): Heat {
  if (Math.abs(duration - median) < NOISE_MS) return 'usual'
  const ratio = median === 0 ? Infinity : duration / median
  if (ratio < 0.67) return 'fast'
  if (ratio <= 1.5) return 'usual'
  if (ratio <= 2.5) return 'slow'
  return ratio <= 5 ? 'slower' : 'slowest'
}

/** How a cell is drawn: by heat where the node completed, else by its mark. */
export function faceOf(cell: Cell | null, median: number | null): Heat | 'failed' | 'ended' | 'none' {
  if (cell === null) return 'none'
  if (cell.status === 'failed') return 'failed'
  if (cell.status !== 'completed') return 'ended'
  return cell.duration_ms === null || median === null ? 'usual' : heatOf(cell.duration_ms, median)
}

/** The figures of a cell in words. */
export function cellText(cell: Cell | null, median: number | null): string {
  if (cell === null) return 'not part of the revision of this run'
  const { status, attempts, duration_ms: duration } = cell
  const parts = [statusText(status)]
  if (duration !== null) {
    parts[0] += ` in ${durationText(duration)}`
    if (median !== null && heatOf(duration, median) !== 'usual')
      parts.push(`${timesText(duration, median)} the usual ${durationText(median)}`)
  }
  if (attempts > 1) parts.push(`${attempts} attempts`)
  return parts.join(', ')
}

function timesText(duration: number, median: number): string {
  if (median === 0) return 'against'
  const times = duration / median
  return `${times < 10 ? times.toFixed(1) : Math.round(times)} times`
}
