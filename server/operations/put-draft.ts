import { z } from 'zod'
import { idPattern } from '@/core/pipeline/definition/definition'
import { maxDocumentLength } from '@/core/pipeline/yaml/yaml'
import { DRAFTS_MAX } from '@/server/ports/drafts'
import { DomainError } from './domain-error'
import { operation } from './operation'

/**
 * Keeps what the caller has written and not published: any text, which is neither read nor run. `if_match` is the version that the
 * caller saw, 0 when there was none; `stale_draft` has the version that is there, so that no tab overwrites another.
 */
export const putDraft = operation({
  kind: 'command',
  summary: 'Save your draft of a pipeline',
  right: 'edit',
  rest: { method: 'PUT', path: '/pipelines/:pipeline_id/draft', largeBody: true },
  request: z.strictObject({
    pipeline_id: z.string().regex(idPattern, 'an id has 1 to 63 small letters, digits and _'),
    if_match: z.int().min(0).optional(),
    base_revision: z.int().min(0),
    text: z.string().max(maxDocumentLength),
    format: z.enum(['yaml', 'json']).default('yaml'),
  }),
  answer: z.strictObject({ pipeline_id: z.string(), version: z.int().min(1) }),
  errors: ['limit_reached', 'precondition_required', 'stale_draft'],
  example: {
    request: { pipeline_id: 'seattle_weather', if_match: 0, base_revision: 3, text: 'id: seattle_weather' },
    answer: { pipeline_id: 'seattle_weather', version: 1 },
  },
  run: async (ctx, caller, { pipeline_id, if_match, base_revision, text, format }) => {
    if (if_match === undefined) {
      throw new DomainError(
        'precondition_required',
        'Say which version of the draft you changed: If-Match with its number, 0 when there is none.',
      )
    }
    const updatedAt = ctx.clock.now()
    const draft = {
      userId: caller.id,
      userName: caller.name,
      pipelineId: pipeline_id,
      baseRevision: base_revision,
      text,
      format,
      updatedAt,
    }
    const saved = await ctx.drafts.put(draft, if_match)
    if (saved === 'full') {
      throw new DomainError(
        'limit_reached',
        `You have ${DRAFTS_MAX} drafts, the most that you can have: publish or discard one.`,
      )
    }
    if ('stale' in saved) {
      const there =
        saved.stale === 0 ? 'There is no draft any more' : `The draft is at version ${saved.stale}`
      throw new DomainError(
        'stale_draft',
        `${there}, not at ${if_match}: look at what is there and save again.`,
        [{ path: ['version'], code: 'stale_draft', message: String(saved.stale) }],
      )
    }
    return { pipeline_id, version: saved.version }
  },
})
