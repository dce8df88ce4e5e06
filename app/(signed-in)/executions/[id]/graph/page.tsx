import { GraphTab } from '@/components/execution/graph-tab'

export default function ExecutionGraphPage() {
  return <GraphTab />
}
