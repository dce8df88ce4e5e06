import { toast } from '@/components/ui/toast'
import { removeSelected, type Refusal } from './actions'
import type { EditorStores } from './editor-context'

/** Says why nothing was changed, where something was refused. */
export function tell(refused: Refusal): void {
  if (refused !== null) toast({ tone: 'bad', title: 'Nothing was changed', text: refused })
}

/** Removes what is selected. Several at once are told, with the way back: one key is quickly pressed. */
export function removeTold(stores: EditorStores): Refusal {
  const { nodes, notes } = stores.view.getState().selection
  const count = nodes.size + notes.size
  const refused = removeSelected(stores)
  if (refused === null && count > 1)
    toast({
      tone: 'good',
      title: `${count} things are deleted`,
      action: { text: 'Undo', onAct: () => stores.draft.undo() },
    })
  return refused
}
