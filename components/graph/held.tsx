'use client'

import { useStoreApi } from '@xyflow/react'
import { useEffect, useState } from 'react'

/**
 * Lies over a graph while the graph or something in it is moved: whoever moves the pointer asks at each step what stands below it, and of
 * thousands of nodes that costs more than moving them. A press that moves nothing is a click, and belongs to what was pressed.
 */
export function Held({ dragging = false }: { dragging?: boolean }) {
  const canvas = useStoreApi()
  const [moving, setMoving] = useState(false)
  useEffect(
    () =>
      canvas.subscribe((now, before) => {
        if (now.paneDragging !== before.paneDragging) setMoving(false)
        else if (now.paneDragging && now.transform !== before.transform) setMoving(true)
      }),
    [canvas],
  )
  return dragging || moving ? <div aria-hidden className="absolute inset-0 z-10 cursor-grabbing" /> : null
}
