'use client'

import { useReactFlow } from '@xyflow/react'
import { useEffect, useRef, type RefObject } from 'react'
import { useEditor, useView } from '@/components/editor/editor-context'
import type { Flow, Position } from '@/components/editor/model/flow'
import { freshNode, onlyNode } from '@/components/editor/model/view'
import { useZoom } from '@/components/graph/zoom-buttons'
import { cameAtOnce, READABLE, zoomOfAll } from '@/components/editor/model/canvas/fit'
import { boxesOf } from '@/components/editor/model/canvas/flow-drawing'

/** Gives actions access to the canvas, and scrolls the selected node into view. Returns the ref for the frame. */
export function useCanvasHandle(flow: Flow, flush: () => void) {
  const { view } = useEditor()
  const canvas = useReactFlow()
  const zoom = useZoom()
  const frame = useRef<HTMLDivElement>(null)
  const latest = useRef(flow)
  useEffect(() => {
    latest.current = flow
  }, [flow])

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
        return canvas.screenToFlowPosition(pointer ?? middleOf(element))
      },
      at: (point) => {
        const box = element?.getBoundingClientRect()
        if (box === undefined || !isWithin(point, box)) return null
        flush()
        const edge = document
          .elementsFromPoint(point.x, point.y)
          .map((one) => one.closest('.react-flow__edge')?.getAttribute('data-id') ?? null)
          .find((id) => id !== null)
        return { position: canvas.screenToFlowPosition(point), edge: edge ?? null }
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
      const at = boxesOf(latest.current).get(only)
      if (box === undefined || at === undefined) return
      flush()
      const from = canvas.flowToScreenPosition(at)
      const to = canvas.flowToScreenPosition({ x: at.x + at.width, y: at.y + at.height })
      if (isWithin(from, box) && isWithin(to, box)) return
      // A node that was just added moves no earlier node out of view.
      if (
        freshNode(view.getState()) === only &&
        zoomOfAll(boxesOf(latest.current).values(), box) >= READABLE
      ) {
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

  useFitOfMany(flow, frame, zoom.fit)

  return frame
}

/** Shows the whole graph after several nodes came at once, by a text that was pasted or an import. */
function useFitOfMany(flow: Flow, frame: RefObject<HTMLElement | null>, fit: () => unknown): void {
  const canvas = useReactFlow()
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    const before = known.current
    known.current = new Set(flow.nodes.map(({ id }) => id))
    const came = before === null ? [] : cameAtOnce(before, known.current)
    if (came.length === 0) return
    // The canvas draws the nodes first.
    const timer = setTimeout(() => {
      const box = frame.current?.getBoundingClientRect()
      const boxes = boxesOf(flow)
      const isSeen = (id: string) => {
        const at = boxes.get(id)
        if (box === undefined || at === undefined) return true
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
