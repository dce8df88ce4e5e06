import type { PipelineDefinition } from '@/core/pipeline/definition'
import type { OperationContext } from './context'

/** Definitions that stay at hand: a revision never changes, also not when its pipeline is deleted and made again. */
const kept = 200

const known = new WeakMap<OperationContext['pipelines'], Map<string, PipelineDefinition>>()

/** The definition of a revision, which was valid when it was stored; null when there is none. */
export async function storedDefinition(
  ctx: OperationContext,
  pipelineId: string,
  revision: number,
): Promise<PipelineDefinition | null> {
  const definitions = known.get(ctx.pipelines) ?? new Map<string, PipelineDefinition>()
  known.set(ctx.pipelines, definitions)
  const name = `${pipelineId}@${revision}`
  const definition = definitions.get(name)
  if (definition) return definition
  const row = await ctx.pipelines.revision(pipelineId, revision)
  if (!row) return null
  const read = row.definition as unknown as PipelineDefinition
  definitions.set(name, read)
  if (definitions.size > kept) {
    const oldest = definitions.keys().next()
    if (!oldest.done) definitions.delete(oldest.value)
  }
  return read
}
