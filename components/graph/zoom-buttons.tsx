'use client'

import { getNodesBounds, Panel, useReactFlow, type Node } from '@xyflow/react'
import { Maximize2, Minus, Plus } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'

/** Zooms a graph, for keys and buttons. `beside`: the nodes, when they are drawn outside of the canvas. */
export function useZoom(beside: Node[] | null = null) {
  const flow = useReactFlow()
  const latest = useRef(beside)
  useLayoutEffect(() => {
    latest.current = beside
  }, [beside])
  return useMemo(
    () => ({
      fit: (duration = 150) =>
        latest.current === null
          ? flow.fitView({ padding: 0.1, maxZoom: 1, duration })
          : flow.fitBounds(getNodesBounds(latest.current), { padding: 0.1, duration }),
      zoomTo: (zoom: number) => void flow.zoomTo(zoom, { duration: 150 }),
      zoomIn: () => void flow.zoomIn({ duration: 150 }),
      zoomOut: () => void flow.zoomOut({ duration: 150 }),
    }),
    [flow],
  )
}

/** The zoom buttons in the corner of a graph, followed by `children`. */
export function ZoomButtons({ children, fit }: { children?: ReactNode; fit?: () => void }) {
  const zoom = useZoom()
  return (
    <Panel
      position="bottom-left"
      className="flex gap-px overflow-hidden rounded-md border border-line bg-surface"
    >
      <CornerButton name="Zoom out" onClick={zoom.zoomOut}>
        <Minus aria-hidden />
      </CornerButton>
      <CornerButton name="Zoom in" onClick={zoom.zoomIn}>
        <Plus aria-hidden />
      </CornerButton>
      <CornerButton name="Fit the whole graph" onClick={fit ?? (() => void zoom.fit())}>
        <Maximize2 aria-hidden />
      </CornerButton>
      {children}
    </Panel>
  )
}

export function CornerButton({
  name,
  onClick,
  children,
}: {
  name: string
  onClick: () => void
  children: ReactNode
}) {
  return (
    <Button
      tone="quiet"
      size="icon"
      className="rounded-none"
      aria-label={name}
      title={name}
      onClick={onClick}
    >
      {children}
    </Button>
  )
}
