'use client'

import { Health } from '@/components/overview/health'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function HealthPage() {
  return (
    <PageBody>
      <PageHeader title="Health" lead="Whether everything holds, who must act next, and how full it is." />
      <Health title={(text) => <PageTitle text={text} />} />
    </PageBody>
  )
}
