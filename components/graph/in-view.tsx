'use client'

import { useStore } from '@xyflow/react'
import { useMemo, type ReactNode } from 'react'
import { createPortal } from 'react-dom'

function usePortal(to: string, children: ReactNode) {
  const root = useStore(({ domNode }) => domNode)
  const place = useMemo(() => root?.querySelector(to) ?? null, [root, to])
  return place === null ? null : createPortal(children, place)
}

/**
 * Draws among the nodes of a graph, in its coordinates. The canvas' own `ViewportPortal` looks its place up among thousands of nodes at
 * every step that the graph is moved.
 */
export const InView = ({ children }: { children: ReactNode }) =>
  usePortal('.react-flow__viewport-portal', children)

/**
 * Lies over a whole graph: whoever moves the pointer asks at each step what stands below it, and of thousands of nodes that costs more than
 * moving them. A press on it moves the graph and the wheel zooms, as beside the nodes.
 */
export const Sheet = ({ className }: { className: string }) =>
  usePortal('.react-flow__pane', <div aria-hidden className={`absolute inset-0 z-10 ${className}`} />)
