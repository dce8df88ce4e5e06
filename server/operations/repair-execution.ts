import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { DomainError } from './domain-error'

/**
 * Folds an execution again from its journal, makes its registry row and inbox as the journal says, and takes it up from there.
 * `set_apart` when its journal still cannot be folded.
 */
export const repairExecution = operation({
  kind: 'command',
  summary: 'Rebuild an execution from its journal',
  right: 'administer',
  rest: { method: 'POST', path: '/health/repair' },
  request: z.strictObject({ execution_id: idField }),
  answer: z.strictObject({ violations: z.array(z.strictObject({ rule: z.string(), message: z.string() })) }),
  errors: ['not_found', 'set_apart'],
  example: { request: { execution_id: '01JDW3Q8' }, answer: { violations: [] } },
  run: async (ctx, caller, { execution_id }) => {
    const record = (result: string) =>
      ctx.audit.append({
        at: ctx.clock.now(),
        actor: caller.name,
        actorId: caller.id,
        action: 'execution.repaired',
        subject: execution_id,
        result: { result },
      })
    let there: boolean
    try {
      there = await ctx.orchestrator.repair(execution_id)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      await record(`failed: ${reason}`)
      throw new DomainError('set_apart', `This run cannot be taken up: ${reason.slice(0, 500)}`)
    }
    if (!there) throw missing('execution', execution_id)
    await record('repaired')
    return {
      violations: ctx.orchestrator
        .violations()
        .filter((one) => one.executionId === execution_id)
        .map(({ rule, message }) => ({ rule, message })),
    }
  },
})
