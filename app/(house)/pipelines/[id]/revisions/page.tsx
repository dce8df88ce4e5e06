import { PipelineRevisions } from '@/components/pipelines/pipeline-revisions'

export default function PipelineRevisionsPage() {
  return <PipelineRevisions />
}
