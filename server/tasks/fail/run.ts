import type { TaskRun } from '@/server/ports/runner'
import { TaskFailure } from '@/server/tasks/task-failure'

/** Fails with `message` and `kind` (a word: letters, digits and underscores; default `task_failed`). */
export const run: TaskRun = async (input) => {
  const kind = input['kind'] ?? 'task_failed'
  if (typeof kind !== 'string' || !/^[a-z][a-z0-9_]{0,62}$/.test(kind)) {
    throw new TaskFailure('invalid_input', `kind must be a word of small letters, digits and underscores`)
  }
  const message = input['message']
  throw new TaskFailure(kind, typeof message === 'string' && message !== '' ? message : 'failed as asked')
}
