'use client'

import { useStoreApi } from '@xyflow/react'
import { useEffect, useMemo, useRef, type RefObject } from 'react'
import type { CardNode } from './card'
import { attentionOf } from './model/attention'
import { nodeBoxes, type Box } from './model/boxes'
import { freePart, MOST_TO_READ, openingView, type Camera } from './model/camera'
import type { Layout } from './model/layout'
import { useViewMoves } from './use-view-moves'

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

/** What the view of a run shows first: what is selected, else what somebody has to know; null: its beginning. */
export function aimOf(nodes: readonly CardNode[], selected: string | null): Box | null {
  return boxOf(nodes, selected) ?? boxOf(nodes, attentionIn(nodes))
}

// Of many cards all are seen, from far.
const attentionIn = (nodes: readonly CardNode[]): string | null =>
  nodes.length > MOST_TO_READ ? null : attentionOf(nodes.map(({ data }) => data.drawn))

/**
 * Moves the view of a graph: to its beginning, to what is selected or to what somebody has to know, when its layout or its room changes;
 * to a node that is selected while it is out of sight, because a panel that opens may hide it; and along with a run that nobody moves.
 */
export function useAim(
  shown: {
    readonly nodes: readonly CardNode[]
    readonly layout: Layout | null
    readonly selected: string | null
    /** The group that was opened or closed last. */
    readonly focus: string | null
    /** The view with which the graph opened. */
    readonly begun: Camera
  },
  frame: RefObject<HTMLDivElement | null>,
): void {
  const canvas = useStoreApi()
  const latest = useRef(shown)
  useEffect(() => {
    latest.current = shown
  })
  const { nodes, layout, selected, begun } = shown
  const attention = useMemo(() => attentionIn(nodes), [nodes])
  const moves = useViewMoves(frame, begun, {
    boxes: () => cardBoxes(latest.current.nodes),
    aim: () => aimOf(latest.current.nodes, latest.current.selected),
  })
  const opened = useRef(layout)
  useEffect(() => {
    // The first layout is drawn in its place already.
    if (layout === null || opened.current === layout) return
    opened.current = layout
    const { nodes: drawn, selected: chosen, focus } = latest.current
    const at = boxOf(drawn, chosen) ?? boxOf(drawn, focus) ?? aimOf(drawn, null)
    moves.go(openingView(cardBoxes(drawn), freePart(canvas.getState()), at), 0)
  }, [layout, moves, canvas])
  useEffect(() => {
    if (selected !== null) moves.reveal(() => boxOf(latest.current.nodes, selected))
  }, [selected, layout, moves])
  const followed = useRef(attention)
  useEffect(() => {
    if (followed.current === attention) return
    followed.current = attention
    if (latest.current.selected === null && moves.isOwn())
      moves.reveal(() => boxOf(latest.current.nodes, attention))
  }, [attention, moves])
}
