import { compilePipeline, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { TaskCatalog } from '@/core/pipeline/definition/task-description'
import type { PipelineRegistry } from '@/server/ports/registry'

/** Compiled revisions in the cache; a revision is immutable, so that an entry is never stale. */
const KEPT = 500

/** Compiles each revision once. */
export function createCompiledPipelines(pipelines: PipelineRegistry, tasks: TaskCatalog) {
  const compiled = new Map<string, Promise<CompiledPipeline | null>>()

  async function compile(id: string, revision: number): Promise<CompiledPipeline | null> {
    const row = await pipelines.revision(id, revision)
    if (row === null) return null
    const result = compilePipeline(row.definition as PipelineDefinition, { revision: row.revision, tasks })
    if (!result.ok) {
      const issues = result.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
      throw new Error(`revision ${revision} of pipeline '${id}' does not compile any more: ${issues}`)
    }
    return result.pipeline
  }

  return {
    /** null when there is no such revision. */
    get(id: string, revision: number): Promise<CompiledPipeline | null> {
      const key = `${id}@${revision}`
      const found = compiled.get(key)
      if (found !== undefined) return found
      const pending = compile(id, revision)
      compiled.set(key, pending)
      // What was not there, or failed, is looked for again the next time.
      pending.then(
        (pipeline) => pipeline === null && compiled.delete(key),
        () => compiled.delete(key),
      )
      if (compiled.size > KEPT) compiled.delete(compiled.keys().next().value!)
      return pending
    },
  }
}

export type CompiledPipelines = ReturnType<typeof createCompiledPipelines>
