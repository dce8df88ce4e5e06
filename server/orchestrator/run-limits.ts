import type { Admission } from '@/core/scheduling/admission'
import type { ExecutionRegistry, PipelineRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'

/** Of runs without an outcome. */
const OPEN_STATUSES = ['pending', 'running', 'paused', 'waiting', 'verifying', 'rolling_back']

export type RunLimitsPorts = {
  readonly pipelines: PipelineRegistry
  readonly executions: ExecutionRegistry
  readonly compiled: CompiledPipelines
  readonly admission: Admission
  /** Folds an execution, which counts it. */
  readonly load: (executionId: string) => Promise<unknown>
  readonly warn: (what: string, error: unknown) => void
}

/** The limit of each pipeline (`maxRunning`) as its latest revision says, whichever revision a run is of: read once, and again after a change. */
export function createRunLimits(ports: RunLimitsPorts) {
  const known = new Map<string, boolean>()

  async function read(pipelineId: string): Promise<boolean> {
    const row = await ports.pipelines.get(pipelineId)
    const latest = row === null ? null : await ports.compiled.get(pipelineId, row.revision)
    const limit = latest?.runsLimit ?? null
    ports.admission.limitRuns(pipelineId, limit)
    known.set(pipelineId, limit !== null)
    return limit !== null
  }

  return {
    /** Whether the pipeline has a limit; `runsOf` knows it when the answer is there. */
    limited(pipelineId: string): boolean | Promise<boolean> {
      return (
        known.get(pipelineId) ??
        read(pipelineId).catch((error: unknown) => {
          // Runs of other revisions go on.
          ports.warn(`the limit of pipeline '${pipelineId}' could not be read`, error)
          return false
        })
      )
    },

    /** There is another latest revision, or none. Runs that began without a limit may be parked, and were never counted. */
    async changed(pipelineId: string): Promise<void> {
      if (!(await read(pipelineId))) return
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await ports.executions.list({
          pipelineId,
          statuses: OPEN_STATUSES,
          limit: 250,
          ...(cursor === undefined ? {} : { cursor }),
        })
        for (const { executionId } of page.items) await ports.load(executionId)
        cursor = page.nextCursor
      }
    },
  }
}

export type RunLimits = ReturnType<typeof createRunLimits>
