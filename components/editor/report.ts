import { toast } from '@/components/ui/toast'
import { removeSelected, type Refusal } from './model/actions'
import type { EditorStores } from './model/stores'

/** Shows why an action was refused; does nothing when it was not. */
export function report(refused: Refusal): void {
  if (refused !== null) toast({ tone: 'bad', title: 'Nothing was changed', text: refused })
}

/** Removes what is selected. When that is more than one thing, a toast offers to undo it: a key is easily pressed by mistake. */
export function removeAndReport(stores: EditorStores): Refusal {
  const { nodes, notes } = stores.view.getState().selection
  const count = nodes.size + notes.size
  const refused = removeSelected(stores)
  if (refused === null && count > 1)
    toast({
      tone: 'good',
      title: `${count} things were deleted`,
      action: { text: 'Undo', onAct: () => stores.draft.undo() },
    })
  return refused
}
