'use client'

import { useStore } from '@xyflow/react'
import { useMemo, type ReactNode } from 'react'
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
