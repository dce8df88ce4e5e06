import { Suspense } from 'react'
import { PipelineList } from '@/components/pipelines/pipeline-list'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function PipelinesPage() {
  return (
    <PageBody>
      <PageTitle text="Pipelines" />
      <PageHeader title="Pipelines" lead="What can be run here. The examples work on real data." />
      <Suspense>
        <PipelineList />
      </Suspense>
    </PageBody>
  )
}
