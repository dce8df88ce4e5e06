'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { GraphCanvas } from '@/components/graph/canvas'
import type { Sought } from '@/components/graph/use-seek'
import { draw } from '@/components/graph/model/drawing'
import { FindInRun } from './find-in-run'
import { PanelBeside, useSelectedNode } from './panel-beside'
import { useRun } from './run-context'
import { takenOverBefore } from './taken-over'

/** The live graph of a run, and beside it the selected node. The selection is in the address. */
export function GraphTab() {
  const run = useRun()
  const { view, pipeline } = run
  const router = useRouter()
  const { selected, select } = useSelectedNode()
  const [sought, setSought] = useState<Sought | null>(null)
  // The graph is the largest part of the page. It renders deferred, so that the pointer and the header come first.
  const shown = useDeferredValue(view)
  const before = takenOverBefore(run)
  const drawing = useMemo(() => draw(pipeline, shown, before), [pipeline, shown, before])
  const enter = useCallback(
    (id: string) => {
      const child = shown.nodes[id]?.child_execution_id
      if (child != null) router.push(`/executions/${child}`)
    },
    [shown, router],
  )

  return (
    <div className="relative flex min-h-0 flex-1">
      <FindInRun
        onGo={(node) => {
          select(node)
          setSought({ node })
        }}
      />
      <div className="min-w-0 flex-1">
        <GraphCanvas
          drawing={drawing}
          positions={pipeline.definition.layout}
          run
          selected={selected}
          sought={sought}
          onSelect={select}
          onEnter={enter}
        />
      </div>
      <PanelBeside selected={selected} onClose={() => select(null)} />
    </div>
  )
}
