import type { SubPipelines } from '@/core/engine/decide/gate-below'
import { checkMocks } from '@/core/engine/decide/mocks'
import { LIMITS } from '@/core/engine/event'
import type { Rejection } from '@/core/engine/input'
import type { ExecutionState } from '@/core/engine/state'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { PipelineRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'

export type SubPipelinesPorts = {
  readonly pipelines: Pick<PipelineRegistry, 'get'>
  readonly compiled: CompiledPipelines
}

/** Revisions that are fixed already, by pipeline. null: none are, the latest are taken. */
export type FixedRevisions = ReadonlyMap<string, number> | null

/** Finds what runs below a pipeline. */
export function createSubPipelines({ pipelines, compiled }: SubPipelinesPorts) {
  /** The pipeline below a run that has fixed these revisions, or null: it has none of it. */
  async function find(id: string, fixed: FixedRevisions): Promise<CompiledPipeline | null> {
    const revision = fixed === null ? (await pipelines.get(id))?.revision : fixed.get(id)
    return revision === undefined ? null : compiled.get(id, revision)
  }

  async function below(pipeline: CompiledPipeline, fixed: FixedRevisions): Promise<SubPipelines | null> {
    const found = new Map<string, CompiledPipeline>()
    const open = [pipeline]
    for (const one of open) {
      for (const { child } of one.nodes.values()) {
        if (child === null || found.has(child)) continue
        const sub = await find(child, fixed)
        if (sub === null) continue
        if (found.size === LIMITS.subPipelines) return null
        found.set(child, sub)
        open.push(sub)
      }
    }
    return found
  }

  return {
    find,

    /**
     * Every pipeline below this one, at every depth. One that is not there is left out: the node that runs it will fail. null: they
     * are more than a run may have.
     */
    below,

    /** What is wrong with the mocks of a run that is there, or null. Those of a run that fixed its revisions were looked at. */
    async refusedMocks(state: ExecutionState): Promise<Rejection | null> {
      const { pipeline, mocks, subPipelines: fixed } = state
      if (fixed !== null || Object.keys(mocks).length === 0) return null
      const subPipelines = await below(pipeline, fixed)
      return subPipelines === null ? null : checkMocks(state, { mocks, subPipelines })
    },
  }
}

export type SubPipelinesOfRuns = ReturnType<typeof createSubPipelines>

/** Whether a pipeline runs others at all: most do not, and nothing is looked up for them. */
export function hasSubPipelines({ nodes }: CompiledPipeline): boolean {
  for (const { child } of nodes.values()) if (child !== null) return true
  return false
}
