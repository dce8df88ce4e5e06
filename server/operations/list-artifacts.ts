import { z } from 'zod'
import type { ArtifactRow } from '@/server/ports/registry'
import { executionRow } from './execution-exists'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { idField } from './request-fields'

/** The files that an execution produced. */
export const listArtifacts = operation({
  right: 'read',
  request: z.strictObject({ execution_id: idField }),
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
