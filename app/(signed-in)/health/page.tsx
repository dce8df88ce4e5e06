'use client'

import { Health } from '@/components/overview/health'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function HealthPage() {
  return (
    <PageBody>
      <PageHeader title="Health" lead="Problems, who must act next, and how full the server is." />
      <Health title={(text) => <PageTitle text={text} />} />
    </PageBody>
  )
}
