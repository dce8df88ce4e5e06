'use client'

import { QueueView } from '@/components/queue/queue-view'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function QueuePage() {
  return (
    <PageBody>
      <PageTitle text="Queue" />
      <PageHeader title="Queue" lead="What waits for what, who holds it, and how much there is." />
      <QueueView />
    </PageBody>
  )
}
