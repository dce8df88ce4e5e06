'use client'

import { useDraft } from '@/components/editor/editor-context'
import { PublishForm } from '@/components/editor/panels'
import { Dialog } from '@/components/ui/dialog'
import type { PublishProps } from './publish-props'

/** Asks before a revision is published: shows what changes and the warnings, and takes a note. */
export function PublishDialog(props: PublishProps) {
  const revision = useDraft(({ saved }) => saved.revision)
  return (
    <Dialog
      open={props.open}
      onOpenChange={props.onOpenChange}
      title="Publish"
      description={
        revision === 0
          ? 'This is the first revision. Then the pipeline can be run.'
          : `This replaces revision ${revision}. Runs that have started keep theirs.`
      }
    >
      <PublishForm {...props} />
    </Dialog>
  )
}
