'use client'

import { useReactFlow, useStoreApi, type ReactFlowInstance } from '@xyflow/react'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { around, type Box, type Size } from './model/boxes'
import {
  freePart,
  isSeen,
  openingView,
  READABLE,
  revealingView,
  wholeView,
  zoomOfAll,
  type Camera,
} from './model/camera'

/** A panel that opens for what is selected is beside the canvas by then. Milliseconds. */
const AFTER_MS = 60

/** After a press, the second press of a double-click comes within this time. Milliseconds. */
const DOUBLE_CLICK_MS = 300

/** Between two steps of a view that moves there are fewer milliseconds. */
const STEP_MS = 50

/** How much wider or narrower the canvas gets by a panel beside it, and lower by what comes above it; in pixels, at least. */
const RESIZED = { width: 120, height: 16 } as const

const DURATION_MS = 150

type Shown = {
  /** The boxes of all cards. */
  readonly boxes: () => readonly Box[]
  /** What should be in view: what is selected, say. */
  readonly aim: () => Box | null
}

function createViewMoves(
  flow: ReactFlowInstance,
  canvas: ReturnType<typeof useStoreApi>,
  begun: Camera,
  shown: () => Shown,
) {
  let [pressedAt, movedAt, wentAt] = [-Infinity, -Infinity, -Infinity]
  /** The view that was shown last without being asked for. */
  let own = begun
  /** A pointer is pressed. */
  let held = false
  let pending: { kind: 'reveal' | 'arrange'; move: () => void; from: Camera } | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule(kind: 'reveal' | 'arrange', move: () => void): void {
    // A graph that is arranged again shows what is selected as well.
    if (pending?.kind === 'arrange' && kind === 'reveal') return
    pending = { kind, move, from: isMoving() ? own : flow.getViewport() }
    wait()
  }

  function wait(): void {
    clearTimeout(timer)
    timer = setTimeout(run, Math.max(AFTER_MS, pressedAt + DOUBLE_CLICK_MS - performance.now()))
  }

  function run(): void {
    // What is dragged, or framed, stays where it is until it is let go.
    if (held || pending === null) return
    const { move, from } = pending
    pending = null
    // Who has moved the view since has chosen what to see.
    if (isAt(from)) move()
  }

  function go(camera: Camera, duration = DURATION_MS): void {
    own = camera
    wentAt = performance.now()
    void flow.setViewport(camera, { duration })
  }

  const isMoving = () => performance.now() - wentAt < DURATION_MS + STEP_MS

  function isAt(camera: Camera): boolean {
    const { x, y, zoom } = flow.getViewport()
    return Math.abs(x - camera.x) < 2 && Math.abs(y - camera.y) < 2 && Math.abs(zoom - camera.zoom) < 0.01
  }

  const isOwn = () => isAt(own)

  const isWhole = (room: Size) => {
    const all = around(shown().boxes())
    return all !== null && isSeen(all, flow.getViewport(), room)
  }

  return {
    go,
    isOwn,
    /** Shows a box, when the canvas has drawn it. What is new moves nothing else out of view, where all can be read at once. */
    reveal: (boxOf: () => Box | null, isNew = false) =>
      schedule('reveal', () => {
        const [box, boxes] = [boxOf(), shown().boxes()]
        const [from, room] = [flow.getViewport(), freePart(canvas.getState())]
        if (box === null || isSeen(box, from, room)) return
        const isSmall = isNew && zoomOfAll(boxes, room) >= READABLE
        go(isSmall ? wholeView(boxes, room) : revealingView(box, from, boxes, room))
      }),
    /** Answers another size of the canvas: the graph is arranged in it again, unless a person moved it. */
    resized: (before: Size, now: Size) => {
      const isArranged = isWhole(freePart(before)) || isOwn()
      schedule('arrange', () => {
        const [aim, room] = [shown().aim(), freePart(canvas.getState())]
        if (now.width <= before.width && isWhole(room)) return
        if (isArranged) go(openingView(shown().boxes(), room, aim))
        else if (aim !== null) go(revealingView(aim, flow.getViewport(), shown().boxes(), room))
      })
    },
    moved: () => {
      movedAt = performance.now()
    },
    pressed: () => {
      pressedAt = performance.now()
      held = true
      // What is pressed must be under the pointer when it is let go.
      if (pressedAt - movedAt < STEP_MS && !canvas.getState().paneDragging) {
        const here = flow.getViewport()
        if (isMoving()) own = here
        if (pending !== null) pending = { ...pending, from: here }
        void flow.setViewport(here)
      }
      if (pending !== null) wait()
    },
    released: () => {
      held = false
      if (pending !== null) wait()
    },
    end: () => clearTimeout(timer),
  }
}

/**
 * The moves of the view that nobody asked for by name. They wait as long as a second press may come, and a press ends them: what was under
 * the pointer stays under it.
 *
 * @param begun the view with which the graph opened
 */
export function useViewMoves(frame: RefObject<HTMLElement | null>, begun: Camera, shown: Shown) {
  const flow = useReactFlow()
  const canvas = useStoreApi()
  const latest = useRef(shown)
  useLayoutEffect(() => {
    latest.current = shown
  })
  const [moves] = useState(() => createViewMoves(flow, canvas, begun, () => latest.current))

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    let before = { width: element.clientWidth, height: element.clientHeight }
    const observer = new ResizeObserver(() => {
      const now = { width: element.clientWidth, height: element.clientHeight }
      const isAlike = (side: 'width' | 'height') => Math.abs(now[side] - before[side]) < RESIZED[side]
      if (isAlike('width') && isAlike('height')) return
      moves.resized(before, now)
      before = now
    })
    observer.observe(element)
    element.addEventListener('pointerdown', moves.pressed, true)
    window.addEventListener('pointerup', moves.released, true)
    window.addEventListener('pointercancel', moves.released, true)
    const unsubscribe = canvas.subscribe((now, then) => {
      if (now.transform !== then.transform) moves.moved()
    })
    return () => {
      observer.disconnect()
      element.removeEventListener('pointerdown', moves.pressed, true)
      window.removeEventListener('pointerup', moves.released, true)
      window.removeEventListener('pointercancel', moves.released, true)
      unsubscribe()
      moves.end()
    }
  }, [frame, moves, canvas])

  return moves
}
