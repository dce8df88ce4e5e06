import type { JsonObject } from '@/core/engine/event'
import type { Computed } from '@/core/pipeline/definition/task-description'
import type { TaskRun } from '@/server/ports/runner'
import { TaskFailure } from './task-failure'

/** Runs a task whose result depends on its input alone: `compute` of its contract. */
export const runComputed =
  (compute: (input: JsonObject) => Computed): TaskRun =>
  async (input) => {
    const computed = compute(input)
    if (!computed.ok) throw new TaskFailure(computed.error.kind, computed.error.message)
    return computed.outputs
  }
