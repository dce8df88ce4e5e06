import { z } from 'zod'
import type { ExplainNode } from '@/core/engine/view/view'
import { checkResult, nodeStatus, waitingFor } from './execution'
import { count, instantText } from './json'
import { holder } from '@/server/operations/pool-holders'

const part: z.ZodType<ExplainNode> = z
  .strictObject({
    kind: z.enum(['or', 'and', 'not', 'event', 'condition']),
    text: z.string(),
    truth: z.enum(['true', 'dead', 'pending']),
    why: z.string().nullable(),
    get terms() {
      return z.array(part)
    },
  })
  .meta({ id: 'StartCondition', description: 'A start condition, or a part of one, as it stands now.' })

/** Why a node is, or is not, running (`Explanation`). */
export const explanation = z
  .strictObject({
    node: z.string(),
    status: nodeStatus,
    summary: z.string(),
    start_when: part,
    waiting_for: waitingFor.nullable(),
    next_wake_at: instantText.nullable(),
    checks: z.array(checkResult).meta({ description: 'The checks of the pipeline that read the node.' }),
    scheduling: z
      .strictObject({
        slots_in_use: count,
        slots: count,
        position: count.nullable(),
        order: z.string().nullable().meta({ description: 'Why it goes before the next one.' }),
        pools: z.array(
          z.strictObject({
            pool: z.string(),
            amount: z.number(),
            capacity: z.number().nullable(),
            in_use: z.number(),
            waiting: count,
            holders: z.array(holder),
            others: z.array(z.string()),
            more: z.number(),
          }),
        ),
      })
      .nullable(),
    unreachable: z.string().nullable().meta({
      description:
        'Why the approval is never given: it waits for more approvals than people may give. null: it can be.',
    }),
  })
  .meta({ id: 'Explanation' })

export const exampleExplanation = {
  node: 'publish',
  status: 'pending',
  summary: 'Waits for the approval.',
  start_when: {
    kind: 'event',
    text: 'event:approval.approved',
    truth: 'pending',
    why: 'approval waits for a decision',
    terms: [],
  },
  waiting_for: { kind: 'nodes', text: 'Waits for approval', names: ['approval'] },
  next_wake_at: null,
  checks: [],
  scheduling: null,
  unreachable: null,
} as const
