'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, client, problemOf, type ApiProblem } from '@/components/api'
import { useChecksStore } from '@/components/editor/editor-context'
import { useSession } from '@/components/editor/session-context'
import { toast } from '@/components/ui/toast'
import { writeQuery } from '@/components/ui/write-query'

type Publishing = {
  /** With what the author says of it, or nothing. */
  readonly publish: (note: string) => void
  readonly busy: boolean
  readonly problem: ApiProblem | null
}

/**
 * Makes a revision of the draft. One that somebody else has published meanwhile is never overwritten: it is brought in, and the
 * author looks and publishes again. `onOver` is called when there is nothing left to ask.
 */
export function usePublish(onOver: () => void): Publishing {
  const { pipelineId, stores, autosave } = useSession()
  const { draft } = stores
  const checks = useChecksStore()
  const queries = useQueryClient()

  /** Checks exactly the text that is published; the shown problems may be of an earlier one. */
  async function isSound(): Promise<boolean> {
    draft.parse()
    const { definition, unreadable } = draft.getState()
    if (unreadable.length > 0) return false
    const { findings } = await checks.verdictOn(definition)
    return findings.every(({ severity }) => severity !== 'error')
  }

  const { mutate, isPending, error } = useMutation({
    mutationFn: async (note: string) => {
      // The dialog shows what has been found.
      if (!(await isSound())) return 'unsound' as const
      return autosave.publishing(async () => {
        const { text: yaml, saved, definition } = draft.getState()
        if (definition['id'] !== pipelineId) throw new Error(otherId(definition['id'], pipelineId))
        const document = { yaml, ...(note === '' ? {} : { note }) }
        const { revision } =
          saved.revision === 0
            ? await client.pipelines.create.mutate(document)
            : await client.pipelines.update.mutate({
                pipeline_id: pipelineId,
                if_match: saved.revision,
                ...document,
              })
        draft.rebase({ revision, text: yaml })
        return { revision, same: revision === saved.revision }
      })
    },
    onMutate: () => draft.getState().saved.revision,
    onSuccess(done, _note, before) {
      if (done === 'unsound') return
      onOver()
      if (done === null) {
        void queries.invalidateQueries({ queryKey: api.pipelines.pathKey() })
        if (autosave.getState().conflict !== null) return
        const { revision } = draft.getState().saved
        return toast(
          lookAgain(revision === before ? 'Another tab changed the draft.' : publishedText(revision)),
        )
      }
      toast({
        tone: 'good',
        title: done.same ? `Saved with revision ${done.revision}` : `Published revision ${done.revision}`,
        ...(done.same ? { text: 'Only comments and formatting differ.' } : {}),
        action: { text: 'Run it', onAct: askToRun },
        under: `/pipelines/${pipelineId}`,
      })
      void queries.invalidateQueries({ queryKey: api.pipelines.pathKey() })
    },
    async onError(refused) {
      if (!staleCodes.has(problemOf(refused).code)) return
      if (!(await autosave.takeRevision())) return
      onOver()
      void queries.invalidateQueries({ queryKey: api.pipelines.pathKey() })
      if (autosave.getState().conflict !== null) return
      const { revision } = draft.getState().saved
      if (revision > 0) return toast(lookAgain(publishedText(revision)))
      toast({
        tone: 'bad',
        title: 'Not published yet',
        text: 'The pipeline was deleted. You still have your draft: publish it to create the pipeline again.',
      })
    },
  })
  return {
    publish: (note) => mutate(note),
    busy: isPending,
    problem: error === null || staleCodes.has(problemOf(error).code) ? null : problemOf(error),
  }
}

/** The frame of the pipeline opens the form of a run when the address asks for it. */
function askToRun(): void {
  const params = new URLSearchParams(window.location.search)
  params.set('run', '')
  writeQuery(params)
}

/** It would be made as another pipeline, and this draft be none of it. */
const otherId = (said: unknown, id: string): string =>
  `The code has “id: ${typeof said === 'string' ? said : JSON.stringify(said)}”, but the id of this pipeline is ${id} and cannot change. Write “id: ${id}”, or import the code as another pipeline.`

/** Somebody else was first: changed it, made it, or deleted it. */
const staleCodes = new Set(['stale_revision', 'already_exists', 'not_found'])

const publishedText = (revision: number): string => `Revision ${revision} was published in the meantime.`

const lookAgain = (what: string) =>
  ({
    tone: 'bad',
    title: 'Not published yet',
    text: `${what} It is merged into your draft: check it and publish again.`,
  }) as const
