'use client'

import { ChartNoAxesGantt } from 'lucide-react'
import { useMemo } from 'react'
import { EmptyState } from '@/components/ui/states'
import { PanelBeside, useSelectedNode } from './panel-beside'
import { useRun } from './run-context'
import { aheadOf, useRunNow } from './scrub'
import { TimelineChart } from './timeline/timeline-chart'

/** The timeline of a run, and beside it the selected node. The selection is in the address. */
export function TimelineTab() {
  const { timeline, view, past } = useRun()
  const live = useRunNow()
  const path = aheadOf(view).join(' ')
  const ahead = useMemo(() => (path === '' ? [] : path.split(' ')), [path])
  const { selected, select } = useSelectedNode()
  const began = live.events.some(({ type }) => type === 'pipeline.started')
  return (
    <div className="relative flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        {began ? (
          <TimelineChart
            timeline={timeline}
            events={live.events}
            ahead={ahead}
            past={past}
            nodes={view.nodes}
            selected={selected}
            onSelect={select}
          />
        ) : (
          <EmptyState icon={ChartNoAxesGantt} title="Nothing has started yet">
            The run is queued. Its nodes appear here as soon as it starts.
          </EmptyState>
        )}
      </div>
      <PanelBeside selected={selected} onClose={() => select(null)} />
    </div>
  )
}
