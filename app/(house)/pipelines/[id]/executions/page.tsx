import { ExecutionList } from '@/components/execution/execution-list'

export default async function PipelineExecutionsPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  return (
    <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
      <ExecutionList pipeline={id} />
    </div>
  )
}
