import { client, problemOf, type Opening } from '@/components/api'
import type { Found, Line, Sent } from './keeping'

/** The line by which a draft reaches the server. Refusals become values; a lost connection is one as well. */
export function createDraftLine(pipelineId: string): Line {
  async function sent(call: () => Promise<number>): Promise<Sent> {
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
      sent(async () => {
        const request = { pipeline_id: pipelineId, base_revision: base, if_match: version, text }
        return (await client.drafts.put.mutate(request)).version
      }),
    remove: (version) =>
      sent(async () => {
        await client.drafts.remove.mutate({ pipeline_id: pipelineId, if_match: version })
        return 0
      }),
    find: async () => {
      if (!navigator.onLine) return null
      return client.pipelines.open.query({ pipeline_id: pipelineId }).then(foundIn, () => null)
    },
  }
}

/** What an opening shows: the current revision, and the draft with the text that it was begun from. */
export function foundIn({ pipeline, draft, base }: Opening): Found {
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
        : // of a pipeline that was not there yet, or is there no more
          { revision: 0, text: '' }
  return { current, draft: { version, text, base: begun } }
}
