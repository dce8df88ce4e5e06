import { useEffect, useMemo, useRef, useState, type PointerEvent, type RefObject } from 'react'
import type { Scale } from './scale'
import { instantUnder, panned, viewportOf, zoomed, type Viewport, type Window } from './viewport'

/** Below that many pixels a press is a click. */
const DRAG_PX = 5

/** Pixels from the left edge of the track. */
export type Selection = { readonly from: number; readonly to: number }

export type Zoom = {
  readonly view: Viewport
  readonly zoom: (factor: number) => void
  readonly pan: (pixels: number) => void
  readonly fit: () => void
  /** What is dragged over, while it is. */
  readonly selection: Selection | null
  /** True for the click that ends a drag. */
  readonly wasDragged: () => boolean
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void
    readonly onPointerMove: (event: PointerEvent) => void
    readonly onPointerUp: (event: PointerEvent) => void
    readonly onPointerCancel: () => void
  }
}

/**
 * The viewport of a scale: all of it, or what was chosen by the wheel (with Ctrl around the pointer, with Shift or sideways along),
 * by a drag over the track, or by `zoom` around the middle. `area` contains the track and takes the wheel.
 */
export function useZoom(
  scale: Scale,
  {
    area,
    track,
    width,
  }: { area: RefObject<HTMLElement | null>; track: RefObject<HTMLElement | null>; width: number },
): Zoom {
  const [window, setWindow] = useState<Window>(null)
  const [selection, setSelection] = useState<Selection | null>(null)
  const pressed = useRef<number | null>(null)
  const dragged = useRef(false)
  const view = useMemo(() => viewportOf(scale, window, width), [scale, window, width])
  const latest = useRef(view)
  latest.current = view

  const pixelAt = (clientX: number) => clientX - (track.current?.getBoundingClientRect().left ?? 0)

  useEffect(() => {
    const element = area.current
    if (element === null) return
    // React's own listener is passive: it could not keep the browser from zooming the page.
    const turn = (event: WheelEvent) => {
      const left = track.current?.getBoundingClientRect().left ?? 0
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault()
        const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004)
        setWindow(zoomed(latest.current, factor, event.clientX - left))
        return
      }
      const along = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX
      if (!event.shiftKey && Math.abs(along) <= Math.abs(event.deltaY)) return
      event.preventDefault()
      setWindow(panned(latest.current, along))
    }
    element.addEventListener('wheel', turn, { passive: false })
    return () => element.removeEventListener('wheel', turn)
  }, [area, track])

  const end = () => {
    pressed.current = null
    setSelection(null)
  }
  return {
    view,
    selection,
    zoom: (factor) => setWindow(zoomed(view, factor, width / 2)),
    pan: (pixels) => setWindow(panned(view, pixels)),
    fit: () => setWindow(null),
    wasDragged: () => dragged.current,
    handlers: {
      onPointerDown: (event) => {
        dragged.current = false
        const pixel = pixelAt(event.clientX)
        // A finger scrolls; beside the track there is nothing to choose.
        if (event.button !== 0 || event.pointerType === 'touch' || pixel < 0 || pixel > width) return
        pressed.current = pixel
      },
      onPointerMove: (event) => {
        if (pressed.current === null) return
        const pixel = Math.max(0, Math.min(width, pixelAt(event.clientX)))
        if (!dragged.current && Math.abs(pixel - pressed.current) < DRAG_PX) return
        if (!dragged.current) event.currentTarget.setPointerCapture(event.pointerId)
        dragged.current = true
        setSelection({ from: Math.min(pressed.current, pixel), to: Math.max(pressed.current, pixel) })
      },
      onPointerUp: () => {
        if (dragged.current && selection !== null)
          setWindow({ from: instantUnder(view, selection.from), to: instantUnder(view, selection.to) })
        end()
      },
      onPointerCancel: end,
    },
  }
}
