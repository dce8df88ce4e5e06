import { client, problemOf, queryClient, api, type Opening } from '@/components/api'

/** What is known of an id before a pipeline of that id is begun. */
export const openingOf = (id: string): Promise<Opening> => client.pipelines.open.query({ pipeline_id: id })

/**
 * Makes a text the caller's draft of a pipeline, on top of what was found there: a draft that came meanwhile is not overwritten.
 * Throws the refusal's sentence.
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
