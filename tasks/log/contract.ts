import { NOTHING_DEMANDED } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import type { TaskContract } from '@/tasks/contract'

export const log = {
  type: 'log',
  title: 'Write to the log',
  description: "Writes one line to the node's log.",
  category: 'output',
  icon: 'scroll-text',
  input: z.strictObject({
    message: jsonValue.describe('One line of the log.'),
    level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  }),
  output: {},
  example: { message: 'started at {{ system.started_at }}', level: 'info' },
  placement: 'server',
  demands: NOTHING_DEMANDED,
  compute: () => ({ ok: true, outputs: {} }),
} satisfies TaskContract
