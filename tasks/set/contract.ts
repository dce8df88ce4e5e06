import { NOTHING_DEMANDED } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import type { Json } from '@/core/pipeline/json'
import type { TaskContract } from '@/tasks/contract'

/** Its outputs are its bindings: whatever is bound becomes a variable of the node under the same name. */
export const set = {
  type: 'set',
  title: 'Set variables',
  description: 'Makes variables of the values that are bound to it.',
  category: 'data',
  icon: 'equal',
  keywords: 'variable assign value edit fields',
  input: z.record(z.string(), z.unknown()),
  output: {},
  openOutputs: true,
  example: { total: '{{ pipeline.input.amount * 2 }}', label: 'twice {{ pipeline.input.amount }}' },
  placement: 'server',
  demands: NOTHING_DEMANDED,
  compute: (input) => ({ ok: true, outputs: { ...input } as { readonly [name: string]: Json } }),
  pure: true,
} satisfies TaskContract
