'use client'

import { useStoreApi, type Viewport } from '@xyflow/react'
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { createStore, type StoreApi } from 'zustand/vanilla'

const ViewportContext = createContext<StoreApi<Viewport> | null>(null)

/** Provides the viewport of a graph to everything that is drawn below, above and beside its nodes. */
export const ViewportProvider = ViewportContext.Provider

/**
 * The viewport of a graph, as a store and as props for the canvas. While the pointer pans the graph, only the element around all
 * nodes is moved, and the canvas learns the viewport at the end: at every step it would let each of thousands of nodes check whether
 * it has to change.
 *
 * @param initial the viewport that the canvas begins with
 * @param onlyVisible the canvas draws visible nodes only, and therefore needs every step
 */
export function useViewportStore(initial: Viewport, onlyVisible: boolean) {
  const canvas = useStoreApi()
  const [store] = useState(() => createStore<Viewport>(() => initial))
  /** Writes the viewport to the canvas at once: to be called before the canvas is asked for positions during a pan. */
  const flush = useCallback(() => {
    const { x, y, zoom } = store.getState()
    const { transform } = canvas.getState()
    if (x !== transform[0] || y !== transform[1]) canvas.setState({ transform: [x, y, zoom] })
  }, [canvas, store])
  useEffect(
    () =>
      canvas.subscribe((now, before) => {
        if (now.transform !== before.transform) {
          const [x, y, zoom] = now.transform
          store.setState({ x, y, zoom })
        } else if (before.paneDragging && !now.paneDragging) flush()
      }),
    [canvas, store, flush],
  )
  const onViewportChange = useCallback(
    (next: Viewport) => {
      const { paneDragging, transform, domNode } = canvas.getState()
      const element = domNode?.querySelector<HTMLElement>('.react-flow__viewport')
      if (paneDragging && !onlyVisible && next.zoom === transform[2] && element) {
        element.style.transform = `translate(${next.x}px,${next.y}px) scale(${next.zoom})`
        store.setState(next)
      } else canvas.setState({ transform: [next.x, next.y, next.zoom] })
    },
    [canvas, store, onlyVisible],
  )
  const props = useMemo(() => ({ viewport: initial, onViewportChange }), [initial, onViewportChange])
  return { store, props, flush }
}

/** Calls `apply` with the viewport after every render (`before` is null) and at every change of it. */
export function useViewportEffect(apply: (viewport: Viewport, before: Viewport | null) => void): void {
  const store = useContext(ViewportContext)
  const latest = useRef(apply)
  useLayoutEffect(() => {
    latest.current = apply
    if (store !== null) apply(store.getState(), null)
  })
  // It ends with the elements that it changes, not after them.
  useLayoutEffect(() => store?.subscribe((viewport, before) => latest.current(viewport, before)), [store])
}
