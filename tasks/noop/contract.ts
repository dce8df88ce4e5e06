import { NOTHING_DEMANDED } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import type { TaskContract } from '@/tasks/contract'

export const noop = {
  type: 'noop',
  title: 'Do nothing',
  description: 'Completes at once. Useful to join branches and to try a pipeline out.',
  category: 'flow',
  icon: 'circle-dashed',
  keywords: 'nothing empty placeholder',
  input: z.strictObject({}),
  output: {},
  example: {},
  placement: 'server',
  demands: NOTHING_DEMANDED,
  compute: () => ({ ok: true, outputs: {} }),
  pure: true,
} satisfies TaskContract
