'use client'

import { useQuery } from '@tanstack/react-query'
import { Grid3x3 } from 'lucide-react'
import { api, problemOf, useRenewed } from '@/components/api'
import { Card } from '@/components/ui/card'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { HeatMap } from './heat-map'
import { OptimiseFirst } from './optimise-first'
import { mayReportEnd } from './run-ended'

/** From one answer to the next request, while journals are still unread. Milliseconds. */
const NEXT_MS = 300

/** Where the time of the latest runs of a pipeline went: what to optimise first, and each node in each run. */
export function DurationsView({
  pipelineId,
  names,
}: {
  pipelineId: string
  /** Names of nodes by id, as far as they are known. */
  names: ReadonlyMap<string, string>
}) {
  const { data, error, refetch } = useQuery(
    api.pipelines.durations.queryOptions(
      { pipeline_id: pipelineId },
      // The server reads a limited number of journals for each request: it is asked until it has read all.
      { refetchInterval: ({ state }) => ((state.data?.pending ?? 0) > 0 ? NEXT_MS : false) },
    ),
  )
  useRenewed(['executions'], [api.pipelines.durations.queryKey({ pipeline_id: pipelineId })], (message) =>
    mayReportEnd(message, pipelineId),
  )
  if (data === undefined)
    return error === null ? (
      <Card>
        <SkeletonRows rows={8} />
      </Card>
    ) : (
      <ErrorState
        what="The durations could not be loaded."
        error={problemOf(error)}
        retry={() => void refetch()}
      />
    )
  const nameOf = (id: string) => names.get(id) ?? id
  const { runs, nodes, pending, unreadable } = data
  if (runs.length === 0 && pending === 0 && unreadable === 0)
    return (
      <Card>
        <EmptyState icon={Grid3x3} title="No run has ended yet">
          When runs of this pipeline have ended, you see here how long each node took, and which nodes decided
          how long the runs took.
        </EmptyState>
      </Card>
    )
  return (
    <div className="flex flex-col gap-4">
      {pending > 0 && (
        <p role="status" className="text-muted">
          {pending === 1 ? 'One run is' : `${pending} runs are`} still being read…
        </p>
      )}
      {unreadable > 0 && (
        <p className="text-warning">
          The record of {unreadable === 1 ? 'one run' : `${unreadable} runs`} cannot be read; see Health.
        </p>
      )}
      <OptimiseFirst savings={data.savings} nodes={nodes} runs={runs.length} nameOf={nameOf} />
      <HeatMap runs={runs} nodes={nodes} total={data.nodes_total} nameOf={nameOf} />
    </div>
  )
}
