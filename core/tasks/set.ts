import { z } from 'zod'
import type { TaskContract } from './contract'

/** Its outputs are its bindings: whatever is bound becomes a variable of the node under the same name. */
export const set: TaskContract = {
  type: 'set',
  title: 'Set variables',
  description: 'Makes variables of the values that are bound to it.',
  category: 'data',
  icon: 'variable',
  input: z.record(z.string(), z.unknown()),
  output: {},
  openOutputs: true,
  example: { total: '{{ pipeline.input.amount * 2 }}', label: 'twice {{ pipeline.input.amount }}' },
  placement: 'server',
  holdsSlot: false,
}
