'use client'

import { useStore } from '@xyflow/react'
import { useLayoutEffect, useMemo, type ReactNode } from 'react'
import { createPortal } from 'react-dom'

/**
 * Draws among the nodes of a graph, in its coordinates. The canvas' own `ViewportPortal` looks its place up among thousands of nodes at
 * every step that the graph is moved.
 */
export function InView({ children }: { children: ReactNode }) {
  const root = useStore(({ domNode }) => domNode)
  const place = useMemo(() => root?.querySelector('.react-flow__viewport-portal') ?? null, [root])
  return place === null ? null : createPortal(children, place)
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
