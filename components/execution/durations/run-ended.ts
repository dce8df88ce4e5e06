import { isRecord } from '@/core/pipeline/json'

const OVER = new Set<unknown>(['completed', 'failed', 'cancelled', 'rolled_back'])

/** Whether a message about the list of executions reports, or may report, that a run of the pipeline ended or was removed. */
export function mayReportEnd(message: unknown, pipelineId: string): boolean {
  if (!isRecord(message)) return false
  const { more, executions } = message
  if (more === true) return true
  if (!Array.isArray(executions)) return false
  return executions.some(
    (run: unknown) => isRecord(run) && run['pipeline_id'] === pipelineId && OVER.has(run['status']),
  )
}
