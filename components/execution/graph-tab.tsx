'use client'

import { useRouter } from 'next/navigation'
import { useMemo } from 'react'
import { GraphCanvas } from '@/components/graph/canvas'
import { draw } from '@/components/graph/drawing'
import { PanelBeside, useSelectedNode } from './panel-beside'
import { useRun } from './run-context'

/** The graph of a run, live, and beside it the node that is selected. The selection is in the address. */
export function GraphTab() {
  const { view, pipeline } = useRun()
  const router = useRouter()
  const { selected, select } = useSelectedNode()
  const drawing = useMemo(() => draw(pipeline, view), [pipeline, view])
  const enter = (id: string) => {
    const child = view.nodes[id]?.child_execution_id
    if (child != null) router.push(`/executions/${child}`)
  }

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
      <PanelBeside selected={selected} onClose={() => select(null)} />
    </div>
  )
}
