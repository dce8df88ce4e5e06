import { PipelineGraph } from '@/components/pipelines/pipeline-graph'

export default function PipelinePage() {
  return <PipelineGraph />
}
