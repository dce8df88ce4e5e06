import type { Principal } from '@/core/engine/principal'
import { z } from 'zod'
import type { SubmitRequest } from '@/server/orchestrator/contract'
import type { OperationContext } from './context'
import { executionRow } from './execution-exists'
import { keyed } from './idempotency'
import { refusal } from './refusal'

export const controlled = z.strictObject({ execution_id: z.string(), status: z.string() })

/** Cancels, pauses or resumes an execution: they differ only in the input of the engine. Answers with the status afterwards. */
export async function control(
  ctx: OperationContext,
  caller: Principal,
  request: { readonly execution_id: string; readonly idempotency_key?: string | undefined },
  { verb, input }: { readonly verb: string; readonly input: (actor: Principal) => SubmitRequest['input'] },
): Promise<{ execution_id: string; status: string }> {
  const key = keyed(ctx, caller, verb, request)
  const answer = await ctx.engine.submit({
    executionId: request.execution_id,
    input: input(caller),
    ...(key ? { idempotency: key } : {}),
  })
  if (!answer.ok) throw refusal(answer.rejection)
  const row = await executionRow(ctx, request.execution_id)
  return { execution_id: request.execution_id, status: row.status }
}
