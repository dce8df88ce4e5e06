'use client'

import { useStoreApi, type ReactFlowState } from '@xyflow/react'
import { useLayoutEffect, useRef } from 'react'

/** Between two dots, and across one, in the coordinates of the graph. */
const [GAP, DOT] = [24, 1.2]
/** Pixels between two dots, at least: from far, only each second or fourth is drawn. */
const LEAST_GAP = 12

/**
 * The dots below a graph. The canvas' own `Background` is drawn anew by React at every step that the graph is moved, which takes a fourth of
 * the step; this one is shifted.
 */
export function Ground() {
  const canvas = useStoreApi()
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const shift = ({ transform: [x, y, zoom] }: ReactFlowState) => {
      const { style } = place.current!
      let gap = GAP * zoom
      while (gap < LEAST_GAP) gap *= 2
      style.backgroundSize = `${gap}px ${gap}px`
      style.backgroundPosition = `${x}px ${y}px`
      style.setProperty('--dot', `${Math.max(0.5, (DOT * zoom) / 2)}px`)
    }
    shift(canvas.getState())
    return canvas.subscribe((now, before) => {
      if (now.transform !== before.transform) shift(now)
    })
  }, [canvas])
  return (
    <div
      ref={place}
      aria-hidden
      className="pointer-events-none absolute inset-0 -z-1 bg-[radial-gradient(circle,var(--grid)_var(--dot),transparent_calc(var(--dot)+0.5px))]"
    />
  )
}
