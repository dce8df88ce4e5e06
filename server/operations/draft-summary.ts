import type { DraftRow } from '@/server/ports/drafts'
import { formatInstant } from '@/core/engine/instant'

/** A draft as the wire shows it, without its text. */
export function draftSummary(row: Omit<DraftRow, 'text'>) {
  return {
    pipeline_id: row.pipelineId,
    base_revision: row.baseRevision,
    format: row.format,
    version: row.version,
    updated_at: formatInstant(row.updatedAt),
  }
}
