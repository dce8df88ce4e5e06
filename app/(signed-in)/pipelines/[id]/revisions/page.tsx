'use client'

import { useRestore } from '@/components/editor/draft/use-restore'
import { PipelineRevisions } from '@/components/pipelines/pipeline-revisions'

export default function PipelineRevisionsPage() {
  return <PipelineRevisions restore={useRestore()} />
}
