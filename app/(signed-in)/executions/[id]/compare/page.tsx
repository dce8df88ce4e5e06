import { CompareTab } from '@/components/execution/compare-tab'

export default function ExecutionComparePage() {
  return <CompareTab />
}
