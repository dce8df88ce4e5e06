'use client'

import { getNodesBounds, useReactFlow, type Node } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { CardNode } from './card'

/** A node that somebody looks for; another object each time, also for the same node. */
export type Sought = { readonly node: string }

/** The zoom at which a found node is shown, at least. */
const CLOSE = 1
/** The panel of the node opens beside the graph first, and the graph answers to its new width. Milliseconds. */
const SETTLED_MS = 280

/** Whether this is the card of the group in which a node is folded. */
const isCardOf = ({ data }: Node, id: string): boolean =>
  (data as Partial<CardNode['data']>).drawn?.group?.ids.includes(id) === true

/** Moves the view to a node that was found, close enough to read it. `nodes` answers those that are drawn. */
export function useSeek(sought: Sought | null, nodes: () => readonly Node[]): void {
  const flow = useReactFlow()
  const latest = useRef(nodes)
  useEffect(() => {
    latest.current = nodes
  })
  useEffect(() => {
    if (sought === null) return
    const timer = setTimeout(() => {
      const all = latest.current()
      const node = all.find(({ id }) => id === sought.node) ?? all.find((one) => isCardOf(one, sought.node))
      if (node === undefined) return
      const { x, y, width, height } = getNodesBounds([node])
      void flow.setCenter(x + width / 2, y + height / 2, {
        zoom: Math.max(CLOSE, flow.getZoom()),
        duration: 150,
      })
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [sought, flow])
}
