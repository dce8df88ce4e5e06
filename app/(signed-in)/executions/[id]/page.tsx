import { GraphTab } from '@/components/execution/graph-tab'

/** A run opens with its graph. */
export default function ExecutionPage() {
  return <GraphTab />
}
