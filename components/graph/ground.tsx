'use client'

import { useRef } from 'react'
import { useInSight } from './sight'

/** Between two dots, and across one, in the coordinates of the graph. */
const [GAP, DOT] = [24, 1.2]
/** Pixels between two dots, at least: from far, only each second or fourth is drawn. */
const LEAST_GAP = 12

/**
 * The dots below a graph. The canvas' own `Background` is drawn anew by React at every step that the graph is moved, which takes a fourth of
 * the step; this one is shifted.
 */
export function Ground() {
  const place = useRef<HTMLDivElement>(null)
  useInSight(({ x, y, zoom }, before) => {
    const { style } = place.current!
    let gap = GAP * zoom
    while (gap < LEAST_GAP) gap *= 2
    style.backgroundPosition = `${x}px ${y}px`
    if (zoom === before?.zoom) return
    style.backgroundSize = `${gap}px ${gap}px`
    style.setProperty('--dot', `${Math.max(0.5, (DOT * zoom) / 2)}px`)
  })
  return (
    <div
      ref={place}
      aria-hidden
      className="pointer-events-none absolute inset-0 -z-1 bg-[radial-gradient(circle,var(--grid)_var(--dot),transparent_calc(var(--dot)+0.5px))]"
    />
  )
}
