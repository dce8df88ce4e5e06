import { z } from 'zod'
import { DomainError } from './domain-error'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/**
 * Removes a closed execution whole: events, variables, logs, artifacts, and its children [E-8, N-17]. Before its end, or on
 * a child whose parent is there, it is refused (`execution_open`). One that was set apart can never end: it goes as it is [T15].
 */
export const removeExecution = operation({
  kind: 'command',
  summary: 'Remove a closed execution with everything that belongs to it',
  right: 'administer',
  rest: { method: 'DELETE', path: '/executions/:execution_id' },
  request: z.strictObject({ execution_id: idField }),
  answer: z.null(),
  errors: ['execution_open', 'not_found', 'set_apart'],
  example: { request: { execution_id: '01JDW3Q8' }, answer: null },
  run: async (ctx, caller, { execution_id }) => {
    const answer = await ctx.orchestrator.remove(execution_id)
    if (answer === 'missing') throw missing('execution', execution_id)
    if (answer === 'child') {
      throw new DomainError(
        'execution_open',
        'This run works for another one: remove that, and it goes with it.',
      )
    }
    if (answer === 'open') {
      throw new DomainError(
        'execution_open',
        'This run has not ended: cancel it, or wait, and remove it then.',
      )
    }
    await ctx.audit.append({
      at: ctx.clock.now(),
      actor: caller.name,
      actorId: caller.id,
      action: 'execution.removed',
      subject: execution_id,
      result: {},
    })
    return null
  },
})
