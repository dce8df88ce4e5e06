'use client'

import { useMemo } from 'react'
import { DurationsView } from '@/components/execution/durations/durations-view'
import { usePipeline } from '@/components/pipelines/pipeline-frame'

export default function PipelineDurationsPage() {
  const { id, definition } = usePipeline()
  const names = useMemo(
    () => new Map(definition.nodes.map((node) => [node.id, node.name ?? node.id])),
    [definition],
  )
  return <DurationsView pipelineId={id} names={names} />
}
