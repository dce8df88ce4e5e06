import type { Bar } from './rows'
import { pixelOf, type Viewport } from './viewport'

/** The least width of a bar, in pixels: whatever happened can be seen. */
const THINNEST = 3
/** A bar reaches this far beyond the edges at most. Browsers do not paint the widths that a deep zoom would give. */
const BEYOND_PX = 20

export type DrawnBar = { readonly bar: Bar; readonly left: number; readonly width: number }

/**
 * The visible bars with their pixels. Of bars that look the same and cover the same pixels only the first is drawn. `end`: where a
 * bar ends that goes on, in milliseconds since the epoch.
 */
export function layoutBars(bars: readonly Bar[], view: Viewport, end: number): readonly DrawnBar[] {
  const drawn: DrawnBar[] = []
  const drawnTo: Partial<Record<string, number>> = {}
  for (const bar of bars) {
    const left = pixelOf(view, bar.from)
    const right = Math.max(left + THINNEST, pixelOf(view, bar.to ?? end))
    if (right < 0 || left > view.width) continue
    const look = `${bar.kind} ${bar.status}`
    if (right <= (drawnTo[look] ?? -1)) continue
    drawnTo[look] = right
    drawn.push({ bar, ...clipped(left, right, view.width) })
  }
  return drawn
}

/** Where a period is drawn, at least `thinnest` pixels wide; null while it is out of view. */
export function layoutPeriod(
  { from, to }: { readonly from: number; readonly to: number },
  view: Viewport,
  thinnest: number,
): { readonly left: number; readonly width: number } | null {
  const left = pixelOf(view, from)
  const right = pixelOf(view, to)
  if (right < 0 || left > view.width) return null
  const drawn = clipped(left, right, view.width)
  return { left: drawn.left, width: Math.max(thinnest, drawn.width) }
}

function clipped(left: number, right: number, width: number): { left: number; width: number } {
  const from = Math.max(left, -BEYOND_PX)
  return { left: from, width: Math.min(right, width + BEYOND_PX) - from }
}
