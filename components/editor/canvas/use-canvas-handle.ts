'use client'

import { useReactFlow, useStoreApi } from '@xyflow/react'
import { useEffect, useRef, type RefObject } from 'react'
import { useEditor, useView } from '@/components/editor/editor-context'
import type { Position } from '@/components/editor/model/flow'
import { freshNode, onlyNode } from '@/components/editor/model/view'
import { useZoom } from '@/components/graph/zoom-buttons'
import { nodeBoxes, type Box } from '@/components/graph/model/boxes'
import { cameAtOnce, freePart, openingView, READABLE, zoomOfAll } from '@/components/graph/model/camera'
import type { DrawnGraph, Shown } from './use-drawn-graph'

/** Gives actions access to the canvas, and scrolls the selected node into view. Returns the ref for the frame. */
export function useCanvasHandle(graph: DrawnGraph, flush: () => void) {
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

  // A node that is selected must not hide, not behind the panel that opens for it either.
  const only = useView(onlyNode)
  useEffect(() => {
    if (only === null) return
    const timer = setTimeout(() => {
      const box = frame.current?.getBoundingClientRect()
      const at = shownBox(latest.current.nodes, only)
      if (box === undefined || at === null) return
      flush()
      const from = canvas.flowToScreenPosition(at)
      const to = canvas.flowToScreenPosition({ x: at.x + at.width, y: at.y + at.height })
      if (isWithin(from, box) && isWithin(to, box)) return
      // A node that was just added moves no earlier node out of view.
      const whole = zoomOfAll(nodeBoxes(latest.current.nodes), freePart(box))
      if (freshNode(view.getState()) === only && whole >= READABLE) {
        void zoom.fit()
        return
      }
      const by = { x: shift(from.x, to.x, box.left, box.right), y: shift(from.y, to.y, box.top, box.bottom) }
      const { x, y, zoom: scale } = canvas.getViewport()
      // A node nearby is moved just into view, so that its surroundings stay visible.
      if (Math.abs(by.x) < box.width / 2 && Math.abs(by.y) < box.height / 2)
        void canvas.setViewport({ x: x + by.x, y: y + by.y, zoom: scale }, { duration: 150 })
      else void canvas.setCenter(at.x + at.width / 2, at.y + at.height / 2, { zoom: scale, duration: 150 })
    }, 60)
    return () => clearTimeout(timer)
  }, [only, view, zoom, canvas, flush])

  useViewOfMany(graph, frame, zoom.fit)
  useViewOfOpened(graph)

  return { frame, zoom }
}

/** The box of a node, or of the card of its group; null: it is not drawn. */
function shownBox(nodes: readonly Shown[], id: string): Box | null {
  const node =
    nodes.find((one) => one.id === id) ??
    nodes.find((one) => one.type !== 'note' && one.data.drawn.group?.ids.includes(id) === true)
  return node === undefined ? null : (nodeBoxes([node])[0] ?? null)
}

/** Shows the beginning of a group that was just opened, and the card of one that was just closed. */
function useViewOfOpened({ nodes }: DrawnGraph): void {
  const canvas = useReactFlow()
  const store = useStoreApi()
  const opened = useView((view) => view.opened)
  const last = useView((view) => view.lastOpened)
  const latest = useRef(nodes)
  useEffect(() => {
    latest.current = nodes
  }, [nodes])
  const before = useRef(opened)
  useEffect(() => {
    if (before.current === opened) return
    before.current = opened
    const shown = latest.current
    const frame = shown.find(({ id }) => id === last)
    if (frame === undefined) return
    const boxes = nodeBoxes(shown.filter(({ className }) => className !== 'open-group'))
    const view = openingView(boxes, freePart(store.getState()), nodeBoxes([frame])[0])
    void canvas.setViewport(view, { duration: 150 })
  }, [opened, last, canvas, store])
}

/** Shows the whole graph after several nodes came at once, by a text that was pasted or an import. */
function useViewOfMany(
  { flow, nodes }: DrawnGraph,
  frame: RefObject<HTMLElement | null>,
  fit: () => unknown,
): void {
  const canvas = useReactFlow()
  const known = useRef<ReadonlySet<string> | null>(null)
  const latest = useRef(nodes)
  useEffect(() => {
    latest.current = nodes
  }, [nodes])
  useEffect(() => {
    const before = known.current
    known.current = new Set(flow.nodes.map(({ id }) => id))
    const came = before === null ? [] : cameAtOnce(before, known.current)
    if (came.length === 0) return
    // The canvas draws the nodes first.
    const timer = setTimeout(() => {
      const box = frame.current?.getBoundingClientRect()
      const isSeen = (id: string) => {
        const at = shownBox(latest.current, id)
        if (box === undefined || at === null) return true
        const end = { x: at.x + at.width, y: at.y + at.height }
        return (
          isWithin(canvas.flowToScreenPosition(at), box) && isWithin(canvas.flowToScreenPosition(end), box)
        )
      }
      if (!came.every(isSeen)) fit()
    }, 60)
    return () => clearTimeout(timer)
  }, [flow, frame, canvas, fit])
}

/** Distance of a node that was moved into view from the border, in pixels. */
const BORDER = 72

/** How far a span must be moved to lie within others, its beginning before its end. */
function shift(from: number, to: number, low: number, high: number): number {
  const back = Math.min(0, high - BORDER - to)
  return from + back < low + BORDER ? low + BORDER - from : back
}

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
