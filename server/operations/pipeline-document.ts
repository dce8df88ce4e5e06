import { z } from 'zod'
import { stringifyYaml } from '@/core/pipeline/yaml/yaml'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { PipelineRow, RevisionRow } from '@/server/ports/registry'
import { formatInstant } from '@/core/engine/instant'
import { definition, exampleDefinition } from './schemas/definition'
import { instantText, principalId } from './schemas/json'

/** One revision of a pipeline on the wire. */
export const pipelineRevision = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    labels: z.record(z.string(), z.string()),
    revision: z.int().min(1),
    current_revision: z.int().min(1),
    created_at: instantText,
    created_by: z.string(),
    created_by_id: principalId,
    note: z.string().nullable(),
    definition,
    yaml: z.string(),
  })
  .meta({ id: 'PipelineRevision' })

export const examplePipelineRevision = {
  id: 'seattle_weather',
  name: 'Seattle weather report',
  description: null,
  labels: { team: 'data' },
  revision: 3,
  current_revision: 3,
  created_at: '2026-01-30T09:30:00.000Z',
  created_by: 'ada',
  created_by_id: 'usr_01jdw3q8',
  note: null,
  definition: exampleDefinition,
  yaml: 'id: seattle_weather',
} as const

/** A revision of a pipeline with its definition, as data and as YAML: the author's own text where it came as YAML. */
export function pipelineDocument(row: PipelineRow, found: RevisionRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    revision: found.revision,
    current_revision: row.revision,
    created_at: formatInstant(found.createdAt),
    created_by: found.createdBy,
    created_by_id: found.createdById,
    note: found.note,
    definition: found.definition as unknown as PipelineDefinition,
    yaml: found.text ?? stringifyYaml(found.definition),
  }
}
