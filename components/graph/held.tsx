'use client'

import { useStoreApi } from '@xyflow/react'
import { useEffect, useState } from 'react'
import { Sheet } from './in-view'
import { useInSight } from './sight'

/** Covers a graph while the graph or something in it is moved. A press that moves nothing is a click, and belongs to what was pressed. */
export function Held({ dragging = false }: { dragging?: boolean }) {
  const canvas = useStoreApi()
  const [moving, setMoving] = useState(false)
  useInSight((_view, before) => {
    if (before !== null && canvas.getState().paneDragging) setMoving(true)
  })
  useEffect(
    () =>
      canvas.subscribe((now, before) => {
        if (now.paneDragging !== before.paneDragging) setMoving(false)
      }),
    [canvas],
  )
  return dragging || moving ? <Sheet className="cursor-grabbing" /> : null
}
