import type { Scale } from './scale'

/** The visible part of a scale, and its width in pixels. */
export type Viewport = {
  readonly scale: Scale
  /** Positions on the scale. */
  readonly from: number
  readonly to: number
  readonly width: number
}

/** Pixels from the left edge of the viewport. May be outside of it. */
export function pixelOf({ scale, from, to, width }: Viewport, instant: number): number {
  return ((scale.at(instant) - from) / (to - from)) * width
}

/** The instant under a pixel. */
export function instantUnder({ scale, from, to, width }: Viewport, pixel: number): number {
  return scale.instantAt(from + (pixel / Math.max(1, width)) * (to - from))
}

/** The instants at the edges of a viewport; null: all of the scale. */
export type Window = { readonly from: number; readonly to: number } | null

/** The closest zoom: this many milliseconds over the whole width. */
const CLOSEST_MS = 10

export function viewportOf(scale: Scale, window: Window, width: number): Viewport {
  if (window === null) return { scale, from: 0, to: scale.length, width }
  const from = scale.at(window.from)
  return { scale, from, to: Math.max(scale.at(window.to), from + 1), width }
}

/** Zooms by a factor (below 1: closer) around a pixel. The instant under that pixel stays where it is. */
export function zoomed(view: Viewport, factor: number, pixel: number): Window {
  const { scale, from, to, width } = view
  const length = (to - from) * factor
  if (length >= scale.length) return null
  const shown = Math.max(length, CLOSEST_MS)
  const part = pixel / Math.max(1, width)
  return windowAt(scale, from + part * (to - from) - part * shown, shown)
}

/** Moves the viewport by pixels. */
export function panned(view: Viewport, pixels: number): Window {
  const { scale, from, to, width } = view
  if (to - from >= scale.length) return null
  return windowAt(scale, from + (pixels / Math.max(1, width)) * (to - from), to - from)
}

function windowAt(scale: Scale, from: number, length: number): Window {
  const start = Math.max(0, Math.min(from, scale.length - length))
  return { from: scale.instantAt(start), to: scale.instantAt(start + length) }
}
