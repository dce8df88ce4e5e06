import { Inbox } from '@/components/approvals/inbox'
import { PageBody } from '@/components/shell/page-body'
import { PageHeader } from '@/components/shell/page-header'
import { PageTitle } from '@/components/shell/page-title'

export default function ApprovalsPage() {
  return (
    <PageBody>
      <PageTitle text="Approvals" />
      <PageHeader title="Approvals" lead="Runs that wait for a decision." />
      <Inbox />
    </PageBody>
  )
}
