import type { TaskRun } from '@/server/ports/runner'
import { runComputed } from '@/tasks/support/computed'
import { log } from './contract'

const end = runComputed(log.compute)

/** Writes `message` into the node's log; `level` (debug, info, warn, error) stands in front of it when given. */
export const run: TaskRun = async (input, context) => {
  const message =
    typeof input['message'] === 'string' ? input['message'] : JSON.stringify(input['message'] ?? null)
  const level = input['level']
  context.log(
    level === 'error' ? 'stderr' : 'log',
    typeof level === 'string' ? `${level}: ${message}` : message,
  )
  return end(input, context)
}
