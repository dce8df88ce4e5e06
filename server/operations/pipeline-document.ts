import { stringifyYaml } from '@/core/pipeline/yaml/yaml'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { PipelineRow, RevisionRow } from '@/server/ports/registry'
import { formatInstant } from '@/core/engine/instant'

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
