import { client, problemOf, type Opening } from '@/components/api'
import type { DraftServer, SaveResult, ServerDraft } from '@/components/editor/model/draft/autosave'

/** Saves a draft on the server. Refusals and a lost connection are values, never errors. */
export function createDraftServer(pipelineId: string): DraftServer {
  async function send(call: () => Promise<number>): Promise<SaveResult> {
    if (!navigator.onLine) return { kind: 'unreachable' }
    try {
      return { kind: 'saved', version: await call() }
    } catch (error) {
      const { code, message } = problemOf(error)
      if (code === 'stale_draft' || code === 'not_found') return { kind: 'stale' }
      if (code === 'unreachable' || code === 'unavailable' || code === 'rate_limited')
        return { kind: 'unreachable' }
      return { kind: 'refused', message }
    }
  }
  return {
    put: ({ text, base, version }) =>
      send(async () => {
        const request = { pipeline_id: pipelineId, base_revision: base, if_match: version, text }
        return (await client.drafts.put.mutate(request)).version
      }),
    remove: (version) =>
      send(async () => {
        await client.drafts.remove.mutate({ pipeline_id: pipelineId, if_match: version })
        return 0
      }),
    read: async () => {
      if (!navigator.onLine) return null
      return client.pipelines.open.query({ pipeline_id: pipelineId }).then(serverDraftOf, () => null)
    },
  }
}

/** The current revision of an opened pipeline, and its draft with the text that it was based on. */
export function serverDraftOf({ pipeline, draft, base }: Opening): ServerDraft {
  const current =
    pipeline === null
      ? null
      : {
          revision: pipeline.revision,
          text: pipeline.yaml,
          by: pipeline.created_by,
          note: pipeline.note,
        }
  if (draft === null) return { current, draft: null }
  const { version, text } = draft
  const begun =
    base !== null
      ? { revision: base.revision, text: base.yaml }
      : current?.revision === draft.base_revision
        ? { revision: current.revision, text: current.text }
        : // The pipeline is not published yet, or was deleted.
          { revision: 0, text: '' }
  return { current, draft: { version, text, base: begun } }
}
