import { NOTHING_DEMANDED } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import type { TaskContract } from '@/tasks/contract'
import { durationText } from '@/tasks/fields'

export const wait = {
  type: 'wait',
  title: 'Wait',
  description: 'Waits for a time, or until an instant. Holds no slot, and survives a restart.',
  category: 'flow',
  icon: 'timer',
  keywords: 'sleep delay timer pause',
  input: z
    .strictObject({
      duration: durationText.optional().describe('How long, such as 30s, 5m or 2h.'),
      until: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('Instead of a duration: an instant with its zone, such as 2026-01-31T06:00:00Z.'),
    })
    .refine(({ duration, until }) => (duration === undefined) !== (until === undefined), {
      error: "give either 'duration' or 'until'",
    }),
  output: { waited_ms: { type: 'number', description: 'How long it waited, in milliseconds.' } },
  example: { duration: '30s' },
  placement: 'engine',
  demands: NOTHING_DEMANDED,
} satisfies TaskContract
