import { z } from 'zod'
import type { Json } from '@/core/engine/event'
import { acceptDefinition, plannedSchedules } from './definition-document'
import { DomainError } from './domain-error'
import { missingReferences } from './missing-references'
import { operation } from './operation'
import { missing } from './refusal'
import { definitionFields, idField, noteField } from './request-fields'
import { exampleDefinition, savedRevision } from './schemas/definition'

/**
 * Adds a revision on top of the one that the caller saw (`if_match`). The same content keeps the revision; `stale_revision`
 * has the current one, so that a save never overwrites silently. The caller's draft goes with what is published.
 */
export const updatePipeline = operation({
  kind: 'command',
  summary: 'Add a revision to a pipeline',
  right: 'edit',
  rest: { method: 'PUT', path: '/pipelines/:pipeline_id', query: ['note'] },
  request: z.strictObject({
    pipeline_id: idField,
    if_match: z.int().min(0).optional(),
    ...definitionFields,
    note: noteField,
  }),
  answer: savedRevision,
  errors: ['invalid_definition', 'malformed', 'not_found', 'precondition_required', 'stale_revision'],
  example: {
    request: { pipeline_id: 'seattle_weather', if_match: 2, definition: exampleDefinition },
    answer: { id: 'seattle_weather', revision: 3, issues: [] },
  },
  run: async (ctx, caller, { pipeline_id, if_match, note, ...document }) => {
    if (if_match === undefined) {
      throw new DomainError(
        'precondition_required',
        'Say which revision you changed: If-Match with its number.',
      )
    }
    const { definition, text, digest, warnings } = await acceptDefinition(ctx, document)
    if (definition.id !== pipeline_id) {
      throw new DomainError('invalid_definition', 'The id of the definition is not the id of the pipeline.', [
        {
          path: ['id'],
          code: 'id_mismatch',
          message: `"${definition.id}" is not "${pipeline_id}": an id cannot be changed.`,
        },
      ])
    }
    const createdAt = ctx.clock.now()
    const updated = await ctx.pipelines.update(
      {
        name: definition.name ?? definition.id,
        description: definition.description ?? null,
        labels: { ...definition.labels },
        revision: {
          pipelineId: pipeline_id,
          definition: definition as Json,
          text,
          digest,
          createdAt,
          createdBy: caller.name,
          createdById: caller.id,
          note: note ?? null,
        },
        schedules: plannedSchedules(definition, createdAt),
      },
      if_match,
    )
    if (updated === 'missing') throw missing('pipeline', pipeline_id)
    if ('stale' in updated) {
      throw new DomainError(
        'stale_revision',
        `The current revision is ${updated.stale}, not ${if_match}: look at what changed and save again.`,
        [{ path: ['revision'], code: 'stale_revision', message: String(updated.stale) }],
      )
    }
    ctx.engine.pipelineChanged(pipeline_id)
    const issues = [...warnings, ...(await missingReferences(ctx, definition))]
    return { id: pipeline_id, revision: updated.revision, issues }
  },
})
