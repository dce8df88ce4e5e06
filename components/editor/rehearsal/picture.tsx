'use client'

import { useMemo, useRef } from 'react'
import { TimelineChart } from '@/components/execution/timeline/timeline-chart'
import { GraphCanvas } from '@/components/graph/canvas'
import type { Drawing } from '@/components/graph/model/drawing'
import { reuseDrawing } from '@/components/graph/model/memoize'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'
import { NodeResults } from './node-results'
import type { Shown } from '@/components/editor/model/rehearsal/rehearser'
import type { Shape } from './use-rehearsal-address'

/** The rehearsal as a run is shown: the same graph, the same timeline. */
export function Picture({
  as,
  shown,
  selected,
  onSelect,
}: {
  as: Shape
  shown: Shown
  selected: string | null
  onSelect: (node: string | null) => void
}) {
  const previous = useRef<Drawing | null>(null)
  const drawing = useMemo(() => {
    previous.current = reuseDrawing(shown.drawing, previous.current)
    return previous.current
  }, [shown])
  const timeline = useMemo(() => {
    const fold = newTimeline(shown.pipeline)
    // A rehearsal begins with no variables that its timeline looks at.
    for (const event of shown.events) follow(fold, { event, variables: [] })
    return fold
  }, [shown])
  switch (as) {
    case 'graph':
      return (
        <GraphCanvas drawing={drawing} positions={shown.layout} run selected={selected} onSelect={onSelect} />
      )
    case 'timeline':
      return (
        <TimelineChart
          timeline={timeline}
          events={shown.events}
          nodes={shown.view.nodes}
          present={shown.endedAt}
          selected={selected}
          onSelect={onSelect}
        />
      )
    case 'nodes':
      return <NodeResults shown={shown} selected={selected} onSelect={onSelect} />
  }
}
