import { ExecutionList } from '@/components/execution/execution-list'

export default async function PipelineExecutionsPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  return <ExecutionList pipeline={id} />
}
