'use client'

import { useReactFlow, useStoreApi } from '@xyflow/react'
import { useEffect, useRef, type RefObject } from 'react'
import type { CardNode } from './card'
import { nodeBoxes, type Box } from './model/boxes'
import { freePart, openingView } from './model/camera'
import type { Layout } from './model/layout'

/** How much wider or narrower the canvas gets by a panel beside it, in pixels, at least. */
const RESIZED = 120

/** The boxes of cards. The frame of an open group is none: its cards are. */
export const cardBoxes = (nodes: readonly CardNode[]): Box[] =>
  nodeBoxes(nodes.filter(({ data }) => data.drawn.group?.open !== true))

/** The box of a node, of the card of its closed group, or of the frame of an open one; null: it is not drawn. */
export function boxOf(nodes: readonly CardNode[], id: string | null): Box | null {
  const node = nodes.find(
    (each) => each.id === id || (each.data.chosen !== undefined && each.data.chosen === id),
  )
  return node === undefined ? null : (nodeBoxes([node])[0] ?? null)
}

/**
 * Moves the view of a graph: to its beginning, or to what is selected, when its layout or its room changes; and to a node that is selected
 * while it is out of sight, because a panel that opens may hide it.
 */
export function useAim(
  shown: {
    readonly nodes: readonly CardNode[]
    readonly layout: Layout | null
    readonly selected: string | null
    /** The group that was opened or closed last. */
    readonly focus: string | null
  },
  frame: RefObject<HTMLDivElement | null>,
): void {
  const flow = useReactFlow()
  const canvas = useStoreApi()
  const latest = useRef(shown)
  useEffect(() => {
    latest.current = shown
  })
  const { layout, selected } = shown
  const open = useRef((duration: number) => {
    const { nodes, selected: chosen, focus } = latest.current
    const at = boxOf(nodes, chosen) ?? boxOf(nodes, focus)
    void flow.setViewport(openingView(cardBoxes(nodes), freePart(canvas.getState()), at), { duration })
  })
  const opened = useRef(layout)
  useEffect(() => {
    // The first layout is drawn in its place already.
    if (layout === null || opened.current === layout) return
    opened.current = layout
    open.current(0)
  }, [layout])
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      if (Math.abs(element.clientWidth - width) < RESIZED) return
      width = element.clientWidth
      open.current(150)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  useEffect(() => {
    if (selected === null) return
    const timer = setTimeout(() => {
      const box = frame.current?.getBoundingClientRect()
      const at = boxOf(latest.current.nodes, selected)
      // The graph must not move by itself while the person drags it.
      if (box === undefined || at === null || canvas.getState().paneDragging) return
      const from = flow.flowToScreenPosition(at)
      const to = flow.flowToScreenPosition({ x: at.x + at.width, y: at.y + at.height })
      const inside = from.x >= box.left && to.x <= box.right && from.y >= box.top && to.y <= box.bottom
      if (!inside)
        void flow.setCenter(at.x + at.width / 2, at.y + at.height / 2, {
          zoom: flow.getZoom(),
          duration: 150,
        })
    }, 60)
    return () => clearTimeout(timer)
  }, [selected, layout, flow, canvas, frame])
}
