'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { api, problemOf, type ApiProblem } from '@/components/api'
import { toast } from '@/components/ui/toast'
import { useChecksStore, useDraftStore } from './editor-context'

/** Saves the draft as a revision; one that somebody else has saved meanwhile is never overwritten. */
export function usePublish(pipelineId: string): {
  readonly publish: () => void
  readonly busy: boolean
  readonly problem: ApiProblem | null
} {
  const draft = useDraftStore()
  const checks = useChecksStore()
  const [waiting, setWaiting] = useState(false)
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
  const save = useCallback(async () => {
    draft.settle()
    const { text, definition, saved, unreadable } = draft.getState()
    if (isPending || waiting || unreadable.length > 0 || text === saved.text) return
    // What is told may be of an earlier text: what is saved is what was examined.
    setWaiting(true)
    const { findings } = await checks.verdictOn(definition)
    setWaiting(false)
    if (findings.some(({ severity }) => severity === 'error'))
      toast({ tone: 'bad', title: 'Nothing was saved', text: 'The draft has errors: see the problems.' })
    else mutate({ pipeline_id: pipelineId, if_match: saved.revision, yaml: text })
  }, [draft, checks, mutate, isPending, waiting, pipelineId])
  const publish = useCallback(() => void save(), [save])
  return {
    publish,
    busy: isPending || waiting,
    problem: error === null ? null : problemOf(error),
  }
}
