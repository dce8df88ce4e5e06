'use client'

import { PipelinesPage } from '@/components/pipelines/pipelines-page'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function Pipelines() {
  return (
    <PageBody>
      <PageTitle text="Pipelines" />
      <PipelinesPage
        header={(action) => (
          <PageHeader
            title="Pipelines"
            lead="Everything you can run. The examples use real data."
            action={action}
          />
        )}
      />
    </PageBody>
  )
}
