import { client, problemOf, queryClient, api, type Opening } from '@/components/api'

/** What exists under an id, before a pipeline with that id is created. */
export const openingOf = (id: string): Promise<Opening> => client.pipelines.open.query({ pipeline_id: id })

/**
 * Saves a text as the caller's draft of a pipeline, replacing what was found; a draft that was saved meanwhile is not overwritten.
 * Throws an error with the sentence of the refusal.
 */
export async function beginDraft(id: string, text: string, found: Opening): Promise<void> {
  try {
    await client.drafts.put.mutate({
      pipeline_id: id,
      base_revision: found.pipeline?.revision ?? 0,
      if_match: found.draft?.version ?? 0,
      text,
    })
  } catch (error) {
    const { code, message } = problemOf(error)
    throw new Error(
      code === 'stale_draft' ? 'You changed a draft with this id in another tab. Review it first.' : message,
      { cause: error },
    )
  }
  void queryClient.invalidateQueries({ queryKey: api.drafts.pathKey() })
  const opened = api.pipelines.open.queryKey({ pipeline_id: id })
  await queryClient.invalidateQueries({ queryKey: opened, refetchType: 'all' })
}
