import { z } from 'zod'
import type { DraftRow } from '@/server/ports/drafts'
import { formatInstant } from '@/core/engine/instant'
import { count, instantText } from './schemas/json'

const summaryFields = {
  pipeline_id: z.string(),
  base_revision: count.meta({ description: 'The revision that was changed; 0: a new pipeline.' }),
  format: z.enum(['yaml', 'json']),
  version: z.int().min(1),
  updated_at: instantText,
}

export const draftWithoutText = z.strictObject(summaryFields).meta({ id: 'DraftSummary' })

export const draft = z.strictObject({ ...summaryFields, text: z.string() }).meta({ id: 'Draft' })

export const exampleDraftSummary = {
  pipeline_id: 'seattle_weather',
  base_revision: 3,
  format: 'yaml',
  version: 7,
  updated_at: '2026-01-30T09:45:00.000Z',
} as const

export const exampleDraft = { ...exampleDraftSummary, text: 'id: seattle_weather' } as const

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
