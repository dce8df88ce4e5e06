'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useMemo, useRef, useState } from 'react'
import { GraphCanvas } from '@/components/graph/canvas'
import { draw, keepIdentity, type Drawing } from '@/components/graph/drawing'
import { NodePanel } from './node-panel'
import { useRun } from './run-context'

const widthKey = 'penstock.panel-width'
const narrowest = 320
const widest = 760

/** The width of the panel, dragged or moved by arrow keys, and remembered in this browser. */
function usePanelWidth() {
  const [width, setWidth] = useState(420)
  useEffect(() => {
    const stored = Number(window.localStorage.getItem(widthKey))
    if (stored >= narrowest && stored <= widest) setWidth(stored)
  }, [])
  return [
    width,
    (next: number) => {
      const bounded = Math.min(widest, Math.max(narrowest, next))
      setWidth(bounded)
      window.localStorage.setItem(widthKey, String(bounded))
    },
  ] as const
}

/** The graph of a run, live, and beside it the node that is selected. The selection is in the address. */
export function GraphTab() {
  const { view, pipeline } = useRun()
  const router = useRouter()
  const path = usePathname()
  const selected = useSearchParams().get('node')
  const previous = useRef<Drawing | null>(null)
  const drawing = useMemo(() => {
    previous.current = keepIdentity(draw(pipeline, view), previous.current)
    return previous.current
  }, [pipeline, view])
  const select = (id: string | null) =>
    router.replace(id === null ? path : `${path}?node=${encodeURIComponent(id)}`, { scroll: false })
  const enter = (id: string) => {
    const child = view.nodes[id]?.child_execution_id
    if (child != null) router.push(`/executions/${child}`)
  }
  const [width, setWidth] = usePanelWidth()

  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="min-w-0 flex-1">
        <GraphCanvas
          drawing={drawing}
          positions={pipeline.definition.layout}
          run
          selected={selected}
          onSelect={select}
          onEnter={enter}
        />
      </div>
      {selected !== null && (
        <>
          <div
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the panel"
            aria-valuenow={width}
            aria-valuemin={narrowest}
            aria-valuemax={widest}
            tabIndex={0}
            className="hidden w-1.5 cursor-col-resize touch-none bg-transparent hover:bg-accent/40 lg:block"
            onKeyDown={(event) => {
              if (event.key === 'ArrowLeft') setWidth(width + 24)
              else if (event.key === 'ArrowRight') setWidth(width - 24)
            }}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={(event) => {
              if (event.currentTarget.hasPointerCapture(event.pointerId))
                setWidth(window.innerWidth - event.clientX)
            }}
          />
          <div
            style={{ '--panel': `${width}px` } as React.CSSProperties}
            onKeyDown={(event) => {
              if (event.key === 'Escape') select(null)
            }}
            className="absolute inset-0 z-10 overflow-hidden border-l border-line bg-surface lg:static lg:w-(--panel) lg:shrink-0"
          >
            <NodePanel key={selected} nodeId={selected} onClose={() => select(null)} />
          </div>
        </>
      )}
    </div>
  )
}
