'use client'

import { useStore, type ReactFlowState } from '@xyflow/react'
import { createContext } from 'react'

/** The smallest zoom at which a whole graph is shown. */
export const WHOLE = 0.005
/** The smallest zoom that one can go to, in a graph that as a whole is seen at `whole`. */
export const leastZoom = (whole: number): number => Math.min(0.05, whole)

/** Below this zoom no letter of a card can be read: it is drawn as a patch of its status, and a graph of thousands stays smooth. */
const LEGIBLE = 0.3
const isDistant = ({ transform }: ReactFlowState): boolean => transform[2] < LEGIBLE

/** Whether the graph around a card is seen from so far. One for all of them: what each asks the canvas, it asks at every frame. */
export const Distance = createContext(false)

/** From here on only what is in sight is in the page, unless it is seen from far. */
const MANY = 150

/** More than that are never all in the page. */
const MOST = 2_500

/**
 * How a graph of so many nodes is drawn now. From far, edges are lines that nothing can be done to (`DistantEdges`), and all nodes stay in the
 * page, so that it can be moved without building them.
 */
export function useDistance(nodes: number) {
  const distant = useStore(isDistant)
  const bare = distant && nodes > MANY
  return { distant, bare, onlyVisible: nodes > MANY && !(bare && nodes <= MOST) }
}
