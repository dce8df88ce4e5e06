import { PipelineCode } from '@/components/pipelines/pipeline-code'

export default function PipelineCodePage() {
  return <PipelineCode />
}
