import { z } from 'zod'
import type { TaskContract } from './contract'
import { errorKinds } from './error-kinds'
import { messageText } from './fields'

export const fail: TaskContract = {
  type: 'fail',
  title: 'Fail',
  description: 'Always fails, with the given message: a guard, or a rehearsal of a failure.',
  category: 'flow',
  icon: 'octagon-x',
  input: z.strictObject({
    message: messageText.describe('Why, for those who read the run.'),
    kind: z.enum(errorKinds).optional().describe('The kind of the error, on which a retry can depend.'),
  }),
  output: {},
  example: { message: 'no rows for {{ system.execution_id }}', kind: 'task_failed' },
  placement: 'server',
  holdsSlot: false,
}
