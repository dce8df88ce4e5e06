import { NOTHING_DEMANDED } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import type { Computed } from '@/core/pipeline/definition/task-description'
import type { TaskContract } from '@/tasks/contract'
import { errorKinds } from '@/tasks/error-kinds'
import { messageText } from '@/tasks/fields'

/** Fails with `message` and `kind` (a word: letters, digits and underscores; default `task_failed`). */
function failure({ kind = 'task_failed', message }: Readonly<Record<string, unknown>>): Computed {
  if (typeof kind !== 'string' || !/^[a-z][a-z0-9_]{0,62}$/.test(kind)) {
    const error = 'kind must be a word of small letters, digits and underscores'
    return { ok: false, error: { kind: 'invalid_input', message: error } }
  }
  const text = typeof message === 'string' && message !== '' ? message : 'failed as asked'
  return { ok: false, error: { kind, message: text } }
}

export const fail = {
  type: 'fail',
  title: 'Fail',
  description: 'Always fails, with the given message: a guard, or a rehearsal of a failure.',
  category: 'flow',
  icon: 'octagon-x',
  keywords: 'throw error stop',
  input: z.strictObject({
    message: messageText.describe('Why, for those who read the run.'),
    kind: z.enum(errorKinds).optional().describe('The kind of the error, on which a retry can depend.'),
  }),
  output: {},
  example: { message: 'no rows for {{ system.execution_id }}', kind: 'task_failed' },
  placement: 'server',
  demands: NOTHING_DEMANDED,
  compute: failure,
  pure: true,
} satisfies TaskContract
