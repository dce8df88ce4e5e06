'use client'

import { useStore } from '@xyflow/react'
import { useMemo, type ReactNode } from 'react'
import { createPortal } from 'react-dom'

/**
 * Draws its children among the nodes of a graph, in the coordinates of the graph. The canvas's own `ViewportPortal` looks its element
 * up among thousands of nodes at every step of a pan; this one looks it up once.
 */
export function ViewportLayer({ children }: { children: ReactNode }) {
  const root = useStore(({ domNode }) => domNode)
  const element = useMemo(() => root?.querySelector('.react-flow__viewport-portal') ?? null, [root])
  return element === null ? null : createPortal(children, element)
}
