import { VariablesTab } from '@/components/execution/variables-tab'

export default function ExecutionVariablesPage() {
  return <VariablesTab />
}
