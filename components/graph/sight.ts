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

const Sight = createContext<StoreApi<Viewport> | null>(null)

/** What is in sight of a graph, at every step: for what is drawn below, above and beside its nodes. */
export const SightOf = Sight.Provider

/**
 * What is in sight of a graph, and what makes the canvas tell it. While the pointer drags the whole graph, only that which everything stands in
 * is moved, and the canvas hears of it at the end: of each step, it lets every one of thousands of nodes look whether it has to change.
 * `onlyVisible`: the canvas draws what is in sight, and needs each step for that.
 */
export function useSight(begun: Viewport, onlyVisible: boolean) {
  const canvas = useStoreApi()
  const [sight] = useState(() => createStore<Viewport>(() => begun))
  /** Tells the canvas what it has not heard yet: for whoever asks it where things are while the graph is dragged. */
  const settle = useCallback(() => {
    const { x, y, zoom } = sight.getState()
    const { transform } = canvas.getState()
    if (x !== transform[0] || y !== transform[1]) canvas.setState({ transform: [x, y, zoom] })
  }, [canvas, sight])
  useEffect(
    () =>
      canvas.subscribe((now, before) => {
        if (now.transform !== before.transform) {
          const [x, y, zoom] = now.transform
          sight.setState({ x, y, zoom })
        } else if (before.paneDragging && !now.paneDragging) settle()
      }),
    [canvas, sight, settle],
  )
  const onViewportChange = useCallback(
    (next: Viewport) => {
      const { paneDragging, transform, domNode } = canvas.getState()
      const whole = domNode?.querySelector<HTMLElement>('.react-flow__viewport')
      if (paneDragging && !onlyVisible && next.zoom === transform[2] && whole) {
        whole.style.transform = `translate(${next.x}px,${next.y}px) scale(${next.zoom})`
        sight.setState(next)
      } else canvas.setState({ transform: [next.x, next.y, next.zoom] })
    },
    [canvas, sight, onlyVisible],
  )
  const view = useMemo(() => ({ viewport: begun, onViewportChange }), [begun, onViewportChange])
  return { sight, view, settle }
}

/** Calls `shown` with what is in sight: whenever it is drawn, and at every step, then with what was in sight before. */
export function useInSight(shown: (view: Viewport, before: Viewport | null) => void): void {
  const sight = useContext(Sight)
  const latest = useRef(shown)
  useLayoutEffect(() => {
    latest.current = shown
    if (sight !== null) shown(sight.getState(), null)
  })
  useEffect(() => sight?.subscribe((view, before) => latest.current(view, before)), [sight])
}
