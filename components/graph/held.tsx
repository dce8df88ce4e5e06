'use client'

import { useStore, useStoreApi } from '@xyflow/react'
import { useEffect, useLayoutEffect, useState } from 'react'
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

/**
 * Lies over a whole graph: whoever moves the pointer asks at each step what stands below it, and of thousands of nodes that costs more than
 * moving them. A press on it moves the graph and the wheel zooms, as beside the nodes. No portal: React would listen there as well.
 */
export function Sheet({ className }: { className: string }) {
  const root = useStore(({ domNode }) => domNode)
  useLayoutEffect(() => {
    const sheet = document.createElement('div')
    sheet.className = `absolute inset-0 z-10 ${className}`
    root?.querySelector('.react-flow__pane')?.append(sheet)
    return () => sheet.remove()
  }, [root, className])
  return null
}
