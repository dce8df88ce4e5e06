'use client'

import { useRouter } from 'next/navigation'
import { client, problemOf } from '@/components/api'
import { useOptionalSession } from '@/components/editor/session-context'
import { toast } from '@/components/ui/toast'

/** Brings the text of a revision back into the draft, to be looked at and published; null for those who may not edit. */
export function useRestore(): ((revision: number) => Promise<void>) | null {
  const session = useOptionalSession()
  const router = useRouter()
  if (session === null) return null
  const { pipelineId, stores } = session
  return async (revision) => {
    try {
      const { yaml } = await client.pipelines.get.query({ pipeline_id: pipelineId, revision })
      stores.draft.replace(`Restore revision ${revision}`, yaml)
      router.push(`/pipelines/${pipelineId}`)
      toast({
        tone: 'good',
        title: `Revision ${revision} is in your draft`,
        text: 'Publish it to make it the current one, or undo.',
      })
    } catch (error) {
      toast({ tone: 'bad', title: 'The revision could not be read', text: problemOf(error).message })
    }
  }
}
