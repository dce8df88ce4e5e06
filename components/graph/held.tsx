'use client'

import { useStore } from '@xyflow/react'
import { useState } from 'react'

/**
 * Lies over a graph while the graph or something in it is moved: whoever moves the pointer asks at each step what stands below it, and of
 * thousands of nodes that costs more than moving them. A press that moves nothing is a click, and belongs to what was pressed.
 */
export function Held({ dragging = false }: { dragging?: boolean }) {
  const pressed = useStore(({ paneDragging }) => paneDragging)
  const transform = useStore((state) => state.transform)
  const [begun, setBegun] = useState<typeof transform | null>(null)
  if (pressed !== (begun !== null)) setBegun(pressed ? transform : null)
  if (!dragging && (!pressed || begun === null || begun === transform)) return null
  return <div aria-hidden className="absolute inset-0 z-10 cursor-grabbing" />
}
