import { Suspense } from 'react'
import { ExecutionList } from '@/components/execution/execution-list'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function ExecutionsPage() {
  return (
    <PageBody>
      <PageTitle text="Executions" />
      <PageHeader title="Executions" lead="Every run, newest first." />
      <Suspense>
        <ExecutionList />
      </Suspense>
    </PageBody>
  )
}
