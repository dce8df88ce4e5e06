import { z } from 'zod'
import type { ArtifactRow } from '@/server/ports/registry'
import { executionRow } from './execution-exists'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { idField } from './request-fields'
import { count, instantText } from './schemas/json'

/** The files that an execution produced. */
export const listArtifacts = operation({
  kind: 'query',
  summary: 'List artifacts of an execution',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/artifacts' },
  request: z.strictObject({ execution_id: idField }),
  answer: z.strictObject({
    items: z.array(
      z
        .strictObject({
          artifact_id: z.string(),
          node_id: z.string(),
          name: z.string(),
          content_type: z.string(),
          bytes: count,
          sha256: z.string(),
          created_at: instantText,
        })
        .meta({ id: 'Artifact' }),
    ),
  }),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8' },
    answer: {
      items: [
        {
          artifact_id: '01JDW5BB',
          node_id: 'extract',
          name: 'weather/report.svg',
          content_type: 'image/svg+xml',
          bytes: 5120,
          sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          created_at: '2026-01-31T06:00:09.000Z',
        },
      ],
    },
  },
  run: async (ctx, _caller, { execution_id }) => {
    await executionRow(ctx, execution_id)
    const rows = await ctx.artifacts.list(execution_id)
    return { items: rows.map(artifactSummary) }
  },
})

function artifactSummary(row: ArtifactRow) {
  return {
    artifact_id: row.artifactId,
    node_id: row.nodeId,
    name: row.name,
    content_type: row.contentType,
    bytes: row.bytes,
    sha256: row.digest,
    created_at: formatInstant(row.createdAt),
  }
}
