import { toast } from '@/components/ui/toast'
import type { Refusal } from './actions'

/** Says why nothing was changed, where something was refused. */
export function tell(refused: Refusal): void {
  if (refused !== null) toast({ tone: 'bad', title: 'Nothing was changed', text: refused })
}
