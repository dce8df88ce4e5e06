import { z } from 'zod'
import { stringifyYaml } from '@/core/pipeline/yaml'
import type { PipelineDefinition } from '@/core/pipeline/definition'
import { instant } from './instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/**
 * One revision (the current one by default) with its definition, as data and as YAML: the author's own text with comments where
 * it came as YAML.
 */
export const getPipeline = operation({
  right: 'read',
  request: z.strictObject({ pipeline_id: idField, revision: z.int().min(1).optional() }),
  run: async (ctx, _caller, { pipeline_id, revision }) => {
    const row = await ctx.pipelines.get(pipeline_id)
    if (!row) throw missing('pipeline', pipeline_id)
    const found = await ctx.pipelines.revision(pipeline_id, revision)
    if (!found) throw missing('revision', String(revision))
    return {
      id: row.id,
      name: row.name,
      description: row.description,
      labels: row.labels,
      revision: found.revision,
      current_revision: row.revision,
      created_at: instant(found.createdAt),
      created_by: found.createdBy,
      definition: found.definition as unknown as PipelineDefinition,
      yaml: found.text ?? stringifyYaml(found.definition),
    }
  },
})
