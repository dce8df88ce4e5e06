import { z } from 'zod'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { ArtifactRow } from '@/server/ports/registry'
import type { OperationContext } from './context'
import { content } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** The bytes of an artifact, or a part of them. */
export const artifactContent = content({
  summary: 'Get the content of an artifact',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/artifacts/:artifact_id' },
  request: z.strictObject({ execution_id: idField, artifact_id: idField }),
  errors: ['not_found', 'range_not_satisfiable', 'set_apart'],
  content: {
    status: 200,
    type: '*/*',
    schema: z.string().meta({ format: 'binary' }),
    description:
      'The content, with the content type of the artifact. `Range: bytes=…` gets one part of it (206).',
    example: 'month,rain_mm\n1,141.2\n',
  },
})

/**
 * The row of an artifact and the way to its content (or a part of it). The id counts only within its own execution.
 * @throws DomainError `not_found`
 */
export async function readArtifact(
  ctx: OperationContext,
  { execution_id, artifact_id }: z.output<typeof artifactContent.request>,
): Promise<{
  readonly row: ArtifactRow
  readonly open: (range?: { start: number; end: number }) => ReturnType<ArtifactStore['open']>
}> {
  const row = await ctx.artifacts.get(execution_id, artifact_id)
  if (!row) throw missing('artifact', artifact_id)
  return { row, open: (range) => ctx.artifacts.open(row, range) }
}
