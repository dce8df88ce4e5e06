'use client'

import { useStore } from '@xyflow/react'

/**
 * Lies over a graph while the graph or something in it is held: whoever moves the pointer asks at each step what stands below it, and of
 * thousands of nodes that costs more than moving them.
 */
export function Held({ dragging = false }: { dragging?: boolean }) {
  const panning = useStore(({ paneDragging }) => paneDragging)
  if (!dragging && !panning) return null
  return <div aria-hidden className="absolute inset-0 z-10 cursor-grabbing" />
}
