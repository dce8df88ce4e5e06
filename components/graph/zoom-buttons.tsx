'use client'

import { Panel, useReactFlow, useStoreApi } from '@xyflow/react'
import { Maximize2, Minus, Plus } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { nodeBoxes } from './model/boxes'
import { freePart, wholeView } from './model/camera'

/** Zooms a graph, for keys and buttons. `nodes`: all that are drawn, in the canvas or beside it. */
export function useZoom(nodes: Parameters<typeof nodeBoxes>[0]) {
  const flow = useReactFlow()
  const canvas = useStoreApi()
  const latest = useRef(nodes)
  useLayoutEffect(() => {
    latest.current = nodes
  }, [nodes])
  return useMemo(
    () => ({
      fit: (duration = 150) =>
        flow.setViewport(wholeView(nodeBoxes(latest.current), freePart(canvas.getState())), { duration }),
      zoomTo: (zoom: number) => void flow.zoomTo(zoom, { duration: 150 }),
      zoomIn: () => void flow.zoomIn({ duration: 150 }),
      zoomOut: () => void flow.zoomOut({ duration: 150 }),
    }),
    [flow, canvas],
  )
}

/** The zoom buttons in the corner of a graph, followed by `children`. On a narrow screen they are a bar below it. */
export function ZoomButtons({
  zoom,
  children,
}: {
  zoom: Pick<ReturnType<typeof useZoom>, 'fit' | 'zoomIn' | 'zoomOut'>
  children?: ReactNode
}) {
  return (
    <Panel
      position="bottom-left"
      className="flex gap-px overflow-hidden rounded-md border border-line bg-surface max-md:inset-x-0 max-md:bottom-0 max-md:m-0! max-md:rounded-none max-md:border-x-0 max-md:border-b-0 max-md:p-1"
    >
      <CornerButton name="Zoom out" onClick={zoom.zoomOut}>
        <Minus aria-hidden />
      </CornerButton>
      <CornerButton name="Zoom in" onClick={zoom.zoomIn}>
        <Plus aria-hidden />
      </CornerButton>
      <CornerButton name="Fit the whole graph" onClick={() => void zoom.fit()}>
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
