import { z } from 'zod'
import type { TaskContract } from './contract'

export const noop: TaskContract = {
  type: 'noop',
  title: 'Do nothing',
  description: 'Completes at once. Useful to join branches and to try a pipeline out.',
  category: 'flow',
  icon: 'circle',
  input: z.strictObject({}),
  output: {},
  example: {},
  placement: 'server',
  holdsSlot: false,
}
