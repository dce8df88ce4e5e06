import { z } from 'zod'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition/definition'
import { jsonValue } from './json'

/** A pipeline definition as it is written and stored. */
export const definition = pipelineDefinitionSchema.meta({ id: 'PipelineDefinition' })

const path = z.array(z.union([z.string(), z.int()]))

/** One problem of a request or of a definition, with its path. */
export const finding = z
  .strictObject({
    path,
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    severity: z.enum(['error', 'warning', 'info']).optional(),
    fix: z
      .strictObject({ path, value: z.string() })
      .optional()
      .meta({ description: 'Writing this value at this place of the definition removes the problem.' }),
    nodes: z.array(z.string()).optional().meta({ description: 'The nodes of a cycle, in its order.' }),
    counter_example: z
      .array(
        z.strictObject({
          node: z.string(),
          outcome: z.enum(['completed', 'failed', 'skipped', 'approved', 'rejected', 'timeout']),
        }),
      )
      .optional()
      .meta({ description: 'How nodes end in a run that shows the problem.' }),
  })
  .meta({ id: 'Issue' })

/** What saving a definition answers. */
export const savedRevision = z
  .strictObject({
    id: z.string(),
    revision: z.int().min(1),
    issues: z.array(finding).meta({ description: 'Warnings: an invalid definition is refused.' }),
  })
  .meta({ id: 'SavedRevision' })

const fieldChange = z.strictObject({
  path,
  before: jsonValue.optional(),
  after: jsonValue.optional(),
})

const members = {
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.strictObject({ id: z.string(), fields: z.array(fieldChange) })),
}
const moved = z.array(z.string()).meta({ description: 'Only their position on the canvas differs.' })

/** What differs between two definitions (`DefinitionDiff`). */
export const difference = {
  pipeline: z.array(fieldChange),
  nodes: z.strictObject({
    ...members,
    moved,
    renamed: z.array(z.strictObject({ from: z.string(), to: z.string() })),
  }),
  triggers: z.strictObject(members),
  notes: z.strictObject({ ...members, moved }),
  rehearsals: z.strictObject(members),
}

export const exampleDefinition = {
  id: 'seattle_weather',
  name: 'Seattle weather report',
  inputs: { station: { type: 'string', default: 'seattle' } },
  nodes: [
    {
      id: 'extract',
      task: 'set',
      inputBindings: { rows: 1461 },
      startWhen: 'event:pipeline.started',
    },
  ],
} as const
