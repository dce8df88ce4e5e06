'use client'

import { useOptionalSession } from '@/components/editor/session-context'
import { DraftRehearsal, RevisionRehearsal } from '@/components/editor/rehearsal/rehearsal-page'
import { usePipelinePage } from '@/components/pipelines/pipeline-frame'
import { Skeleton } from '@/components/ui/states'

/** Rehearses the draft for those who may edit it, else the shown revision. */
export default function RehearsePage() {
  const { document, older, mayEdit } = usePipelinePage()
  const session = useOptionalSession()
  if (mayEdit && !older)
    return session === null ? (
      <div role="status" aria-label="Loading the rehearsal" className="p-6">
        <Skeleton className="h-64 w-full" />
      </div>
    ) : (
      <DraftRehearsal />
    )
  return document === null ? null : (
    <RevisionRehearsal pipelineId={document.id} definition={document.definition} />
  )
}
