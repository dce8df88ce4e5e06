'use client'

import { useDraft } from '@/components/editor/editor-context'
import { PublishForm } from '@/components/editor/panels'
import type { Problem } from '@/components/editor/problems/problems'
import { Dialog } from '@/components/ui/dialog'

export type PublishProps = {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Before a revision is made: what changes, what is doubtful, and why it is done. */
export function PublishDialog(props: PublishProps) {
  const revision = useDraft(({ saved }) => saved.revision)
  return (
    <Dialog
      open={props.open}
      onOpenChange={props.onOpenChange}
      title="Publish"
      description={
        revision === 0
          ? 'The first revision: from then on it can be run.'
          : `A new revision after ${revision}. Runs that have begun keep theirs.`
      }
    >
      <PublishForm {...props} />
    </Dialog>
  )
}
