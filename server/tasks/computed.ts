import type { JsonObject } from '@/core/engine/event'
import { computedOutcome } from '@/core/tasks/computed'
import type { TaskRun } from '@/server/ports/runner'
import { TaskFailure } from './task-failure'

/** Runs a task whose result depends on its input alone. */
export const runComputed =
  (task: 'set' | 'noop' | 'log' | 'fail'): TaskRun =>
  async (input) => {
    const computed = computedOutcome(task, input)!
    if (!computed.ok) throw new TaskFailure(computed.error.kind, computed.error.message)
    return computed.outputs as JsonObject
  }
