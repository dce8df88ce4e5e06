'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useMemo, useRef } from 'react'
import { GraphCanvas } from '@/components/graph/canvas'
import { draw, keepIdentity, type Drawing } from '@/components/graph/drawing'
import { SideEdge, useSideWidth } from '@/components/ui/side-edge'
import { NodePanel } from './node-panel'
import { useRun } from './run-context'

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
  const side = useSideWidth('run', 420)

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
          <SideEdge side={side} />
          <div
            style={side.style}
            onKeyDown={(event) => {
              if (event.key === 'Escape') select(null)
            }}
            className="absolute inset-0 z-10 overflow-hidden border-l border-line bg-surface lg:static lg:w-(--side) lg:shrink-0"
          >
            <NodePanel key={selected} nodeId={selected} onClose={() => select(null)} />
          </div>
        </>
      )}
    </div>
  )
}
