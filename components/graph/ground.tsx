'use client'

import { useRef } from 'react'
import { useViewportEffect } from './viewport'

/** Between two dots, and across one, in the coordinates of the graph. */
const [GAP, DOT] = [24, 1.2]
/** The least distance of two dots, in pixels: zoomed out, only every second or fourth dot is drawn. */
const LEAST_GAP = 12

/**
 * The dots below a graph. React renders the canvas's own `Background` again at every step of a pan, which takes a fourth of the step; here
 * only its offset changes.
 */
export function Ground() {
  const element = useRef<HTMLDivElement>(null)
  useViewportEffect(({ x, y, zoom }, before) => {
    const { style } = element.current!
    let gap = GAP * zoom
    while (gap < LEAST_GAP) gap *= 2
    style.backgroundPosition = `${x}px ${y}px`
    if (zoom === before?.zoom) return
    style.backgroundSize = `${gap}px ${gap}px`
    style.setProperty('--dot', `${Math.max(0.5, (DOT * zoom) / 2)}px`)
  })
  return (
    <div
      ref={element}
      aria-hidden
      className="pointer-events-none absolute inset-0 -z-1 bg-[radial-gradient(circle,var(--grid)_var(--dot),transparent_calc(var(--dot)+0.5px))]"
    />
  )
}
