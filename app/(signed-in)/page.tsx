'use client'

import { Overview } from '@/components/overview/overview'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function OverviewPage() {
  return (
    <PageBody>
      <PageHeader title="Overview" lead="What is running, who is needed, and what went wrong." />
      <Overview title={(text) => <PageTitle text={text} />} />
    </PageBody>
  )
}
