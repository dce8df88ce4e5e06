'use client'

import { useReactFlow, useStoreApi } from '@xyflow/react'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { useEditor, useView } from '@/components/editor/editor-context'
import type { Position } from '@/components/editor/model/flow'
import { onlyNode } from '@/components/editor/model/view'
import { useZoom } from '@/components/graph/zoom-buttons'
import { useViewMoves } from '@/components/graph/use-view-moves'
import { around, nodeBoxes, type Box } from '@/components/graph/model/boxes'
import { freePart, openingView, type Camera } from '@/components/graph/model/camera'
import type { DrawnGraph, Shown } from './use-drawn-graph'

/** Gives actions access to the canvas, and keeps in view what they change. Returns the ref for the frame. */
export function useCanvasHandle(graph: DrawnGraph, flush: () => void, begun: Camera) {
  const { view } = useEditor()
  const canvas = useReactFlow()
  const zoom = useZoom(graph.nodes)
  const frame = useRef<HTMLDivElement>(null)
  const latest = useRef(graph)
  useEffect(() => {
    latest.current = graph
  }, [graph])

  useEffect(() => {
    // The pointer, as long as it is over the canvas: where things are put.
    let pointer: Position | null = null
    const element = frame.current
    const track = (event: PointerEvent) => {
      pointer = { x: event.clientX, y: event.clientY }
    }
    const leave = () => {
      pointer = null
    }
    element?.addEventListener('pointermove', track)
    element?.addEventListener('pointerleave', leave)
    view.attach({
      ...zoom,
      fit: () => void zoom.fit(),
      focus: (id) => focusCard(element, id),
      pointer: () => {
        flush()
        return latest.current.stored(canvas.screenToFlowPosition(pointer ?? middleOf(element)))
      },
      at: (point) => {
        const box = element?.getBoundingClientRect()
        if (box === undefined || !isWithin(point, box)) return null
        flush()
        const edge = document
          .elementsFromPoint(point.x, point.y)
          .map((one) => one.closest('.react-flow__edge')?.getAttribute('data-id') ?? null)
          .find((id) => id !== null)
        return { position: latest.current.stored(canvas.screenToFlowPosition(point)), edge: edge ?? null }
      },
    })
    return () => {
      element?.removeEventListener('pointermove', track)
      element?.removeEventListener('pointerleave', leave)
      view.attach(null)
    }
  }, [view, canvas, zoom, flush])

  useViewOfChanges(graph, frame, begun)

  return { frame, zoom }
}

/** The box around nodes, notes and ports of events, or around the cards of their groups; null: none of them is drawn. */
export function shownBox(nodes: readonly Shown[], ids: ReadonlySet<string>): Box | null {
  const isMeant = (node: Shown) =>
    ids.has(node.id) ||
    (node.type !== 'note' && node.data.drawn.group?.ids.some((id) => ids.has(id)) === true)
  const cards = nodes.filter(({ className }) => className !== 'open-group')
  const own = cards.filter(({ id }) => ids.has(id))
  return around(nodeBoxes(own.length > 0 ? own : cards.filter(isMeant)))
}

/** Keeps in view what is selected, what is new and what was opened. */
function useViewOfChanges(graph: DrawnGraph, frame: RefObject<HTMLElement | null>, begun: Camera): void {
  const canvas = useStoreApi()
  const latest = useRef(graph.nodes)
  useEffect(() => {
    latest.current = graph.nodes
  }, [graph.nodes])
  const only = useView(onlyNode)
  // The frame of an open group is none: its cards are.
  const [boxes] = useState(
    () => () => nodeBoxes(latest.current.filter(({ className }) => className !== 'open-group')),
  )
  const moves = useViewMoves(frame, begun, {
    boxes,
    aim: () => (only === null ? null : shownBox(latest.current, new Set([only]))),
  })

  // A node that is selected must not hide, not behind the panel that opens for it either.
  useEffect(() => {
    if (only !== null) moves.reveal(() => shownBox(latest.current, new Set([only])))
  }, [only, moves])

  // After the selection: of both, this is the larger.
  const { flow, nodes } = graph
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    const before = known.current
    known.current = new Set(namesOf(flow, nodes))
    if (before === null) return
    const came = new Set([...known.current].filter((id) => !before.has(id)))
    if (came.size > 0) moves.reveal(() => shownBox(latest.current, came), true)
  }, [flow, nodes, moves])

  const opened = useView((view) => view.opened)
  const last = useView((view) => view.lastOpened)
  const shown = useRef(opened)
  useEffect(() => {
    if (shown.current === opened) return
    shown.current = opened
    // The beginning of a group that was just opened, and the card of one that was just closed.
    const group = latest.current.find(({ id }) => id === last)
    if (group === undefined) return
    moves.go(openingView(boxes(), freePart(canvas.getState()), nodeBoxes([group])[0]))
  }, [opened, last, boxes, moves, canvas])
}

/** Nodes, ports of events and notes, whether their groups are open or not. */
const namesOf = (flow: DrawnGraph['flow'], nodes: readonly Shown[]): string[] => [
  ...flow.nodes.map(({ id }) => id),
  ...nodes.flatMap(({ id, type }) => (type === 'note' || type === 'signal' ? [id] : [])),
]

/** Focuses the card of a node, if it is in the page. */
function focusCard(element: HTMLElement | null, id: string): void {
  const card = () =>
    [...(element?.querySelectorAll<HTMLElement>('.react-flow__node') ?? [])].find(
      (one) => one.dataset['id'] === id,
    )
  const active = document.activeElement
  // Who types in a field goes on typing.
  if (active instanceof HTMLInputElement) return
  card()?.focus({ preventScroll: true })
}

const isWithin = ({ x, y }: Position, { left, top, right, bottom }: DOMRect): boolean =>
  x >= left && x <= right && y >= top && y <= bottom

function middleOf(element: HTMLElement | null): Position {
  const box = element?.getBoundingClientRect()
  return box === undefined ? { x: 0, y: 0 } : { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
