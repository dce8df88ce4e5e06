import { z } from 'zod'
import type { DraftRow } from '@/server/ports/drafts'
import { formatInstant } from '@/core/engine/instant'
import { isRecord } from '@/core/pipeline/json'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { count, instantText } from './schemas/json'

const summaryFields = {
  pipeline_id: z.string(),
  name: z
    .string()
    .nullable()
    .meta({ description: 'The name of the pipeline in the draft; null: it has none at its beginning.' }),
  base_revision: count.meta({ description: 'The revision that was changed; 0: a new pipeline.' }),
  format: z.enum(['yaml', 'json']),
  version: z.int().min(1),
  updated_at: instantText,
}

export const draftWithoutText = z.strictObject(summaryFields).meta({ id: 'DraftSummary' })

export const draft = z.strictObject({ ...summaryFields, text: z.string() }).meta({ id: 'Draft' })

export const exampleDraftSummary = {
  pipeline_id: 'seattle_weather',
  name: 'Seattle weather report',
  base_revision: 3,
  format: 'yaml',
  version: 7,
  updated_at: '2026-01-30T09:45:00.000Z',
} as const

export const exampleDraft = { ...exampleDraftSummary, text: 'id: seattle_weather' } as const

/** A draft as the wire shows it, without its text. `beginning`: of the text. */
export function draftSummary(row: Omit<DraftRow, 'text'>, beginning: string) {
  return {
    pipeline_id: row.pipelineId,
    name: nameIn(beginning),
    base_revision: row.baseRevision,
    format: row.format,
    version: row.version,
    updated_at: formatInstant(row.updatedAt),
  }
}

/** The name that a draft gives its pipeline, where it stands on one line at the beginning. Most drafts are larger than what a list reads of them. */
function nameIn(beginning: string): string | null {
  const written =
    /^name:[ \t]*(\S.*)$/m.exec(beginning)?.[1] ??
    /^ {0,2}"name":[ \t]*("(?:[^"\\]|\\.)*")/m.exec(beginning)?.[1]
  if (written === undefined) return null
  const parsed = parseYaml(`name: ${written}`)
  const name = parsed.ok && isRecord(parsed.value) ? parsed.value['name'] : null
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : null
}
