'use client'

import { useQuery } from '@tanstack/react-query'
import { api, usePipelineName } from '@/components/api'

/** The name of a pipeline, in a list that knows its id. */
export function PipelineName({ id }: { id: string }) {
  return usePipelineName(id)
}

/** The name of a node, in a list that knows its id. */
export function NodeName({ pipelineId, nodeId }: { pipelineId: string; nodeId: string }) {
  const { data } = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: pipelineId }, { staleTime: 60_000 }),
  )
  return data?.definition.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId
}
