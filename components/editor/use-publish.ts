'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, problemOf, type ApiProblem } from '@/components/api'
import { toast } from '@/components/ui/toast'
import { useDraftStore } from './editor-context'

/** Saves the draft as a revision; one that somebody else has saved meanwhile is never overwritten. */
export function usePublish(pipelineId: string): {
  readonly publish: () => void
  readonly busy: boolean
  readonly problem: ApiProblem | null
} {
  const draft = useDraftStore()
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation(
    api.pipelines.update.mutationOptions({
      onSuccess: ({ revision }, request) => {
        draft.rebase({ revision, text: request.yaml ?? '' })
        toast({ tone: 'good', title: `Saved as revision ${revision}` })
        void queries.invalidateQueries({ queryKey: api.pipelines.pathKey() })
      },
    }),
  )
  const publish = useCallback(() => {
    draft.settle()
    const { text, saved, unreadable } = draft.getState()
    if (isPending || unreadable.length > 0 || text === saved.text) return
    mutate({ pipeline_id: pipelineId, if_match: saved.revision, yaml: text })
  }, [draft, mutate, isPending, pipelineId])
  return { publish, busy: isPending, problem: error === null ? null : problemOf(error) }
}
