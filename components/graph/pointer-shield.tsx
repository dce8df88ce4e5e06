'use client'

import { useStore, useStoreApi } from '@xyflow/react'
import { useEffect, useLayoutEffect, useState } from 'react'
import { useViewportEffect } from './viewport'

/** Covers a graph while the graph or something in it is dragged. A press without a move stays a click on what was pressed. */
export function PointerShield({ dragging = false }: { dragging?: boolean }) {
  const canvas = useStoreApi()
  const [moving, setMoving] = useState(false)
  useViewportEffect((_view, before) => {
    if (before !== null && canvas.getState().paneDragging) setMoving(true)
  })
  useEffect(
    () =>
      canvas.subscribe((now, before) => {
        if (now.paneDragging !== before.paneDragging) setMoving(false)
      }),
    [canvas],
  )
  return dragging || moving ? <CanvasCover className="cursor-grabbing" /> : null
}

/**
 * An element over the whole graph. Without it the browser looks up the element below the pointer at every step, which costs more
 * than a drag of thousands of nodes. A press on it pans the graph and the wheel zooms. It is no portal: React would listen there too.
 */
export function CanvasCover({ className }: { className: string }) {
  const root = useStore(({ domNode }) => domNode)
  useLayoutEffect(() => {
    const cover = document.createElement('div')
    cover.className = `absolute inset-0 z-10 ${className}`
    root?.querySelector('.react-flow__pane')?.append(cover)
    return () => cover.remove()
  }, [root, className])
  return null
}
