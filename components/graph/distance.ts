'use client'

import { useStore, type ReactFlowState } from '@xyflow/react'
import { createContext } from 'react'

/** Below this zoom cards are drawn as boxes without text, so that a graph of thousands stays smooth. */
const LEGIBLE = 0.3
const isDistant = ({ transform }: ReactFlowState): boolean => transform[2] < LEGIBLE

/** Whether the graph is zoomed out. Shared by all cards, because a subscription of each card would cost at every frame. */
export const Distance = createContext(false)

/** From this many nodes on, only visible nodes are in the page, unless the graph is zoomed out. */
const MANY = 150

/** Above this many nodes they are never all in the page. */
const MOST = 2_500

/**
 * How a graph of so many nodes is drawn. Zoomed out (`bare`), edges are plain lines (`DistantEdges`), and all nodes are in the page, so that
 * a pan creates no elements.
 */
export function useDistance(nodes: number) {
  const distant = useStore(isDistant)
  const bare = distant && nodes > MANY
  return { distant, bare, onlyVisible: nodes > MANY && !(bare && nodes <= MOST) }
}
