import { z } from 'zod'
import type { Json } from '@/core/engine/event'
import { acceptDefinition, plannedSchedules } from './definition-document'
import { DomainError } from './domain-error'
import { keyed, once } from './idempotency'
import { missingReferences } from './missing-references'
import { operation } from './operation'
import { definitionFields, idempotencyField, noteField } from './request-fields'
import { exampleDefinition, savedRevision } from './schemas/definition'

/** Stores revision 1 of a new pipeline; a draft of it that the caller has goes. `already_exists` when the id is taken; nothing is stored for an invalid definition. */
export const createPipeline = operation({
  kind: 'command',
  summary: 'Create a pipeline',
  right: 'edit',
  rest: { method: 'POST', path: '/pipelines', status: 201, query: ['note'] },
  request: z.strictObject({ ...definitionFields, note: noteField, idempotency_key: idempotencyField }),
  answer: savedRevision,
  errors: ['already_exists', 'invalid_definition', 'malformed'],
  example: {
    request: { definition: exampleDefinition, note: 'First version' },
    answer: { id: 'seattle_weather', revision: 1, issues: [] },
  },
  run: (ctx, caller, request) =>
    once(ctx, keyed(ctx, caller, 'create_pipeline', request), async () => {
      const { definition, text, digest, warnings } = await acceptDefinition(ctx, request)
      const createdAt = ctx.clock.now()
      const created = await ctx.pipelines.create({
        name: definition.name ?? definition.id,
        description: definition.description ?? null,
        labels: { ...definition.labels },
        revision: {
          pipelineId: definition.id,
          definition: definition as Json,
          text,
          digest,
          createdAt,
          createdBy: caller.name,
          createdById: caller.id,
          note: request.note ?? null,
        },
        schedules: plannedSchedules(definition, createdAt),
      })
      if (created === 'exists') {
        throw new DomainError(
          'already_exists',
          `There is a pipeline "${definition.id}" already: change it with PUT, or choose another id.`,
        )
      }
      ctx.engine.pipelineChanged(definition.id)
      const issues = [...warnings, ...(await missingReferences(ctx, definition))]
      return { id: definition.id, revision: created.revision, issues }
    }),
})
