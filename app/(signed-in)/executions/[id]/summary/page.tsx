import { SummaryTab } from '@/components/execution/summary-tab'

export default function ExecutionSummaryPage() {
  return <SummaryTab />
}
