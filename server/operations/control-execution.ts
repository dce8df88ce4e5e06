import type { Actor } from '@/core/engine/input'
import type { SubmitRequest } from '@/server/orchestrator/contract'
import type { OperationContext } from './context'
import { executionRow } from './execution-exists'
import { keyed } from './idempotency'
import { refusal } from './refusal'
import type { Caller } from './rights'

/** A person steers a run: cancel, pause and resume differ only in what they ask of the engine. Answers with the status after it. */
export async function control(
  ctx: OperationContext,
  caller: Caller,
  verb: string,
  request: { readonly execution_id: string; readonly idempotency_key?: string | undefined },
  input: (actor: Actor) => SubmitRequest['input'],
): Promise<{ execution_id: string; status: string }> {
  const { idempotency_key, ...asked } = request
  const key = keyed(ctx, caller, verb, idempotency_key, asked)
  const answer = await ctx.engine.submit({
    executionId: request.execution_id,
    input: input({ name: caller.name, roles: caller.roles }),
    ...(key ? { idempotency: key } : {}),
  })
  if (!answer.ok) throw refusal(answer.rejection)
  const row = await executionRow(ctx, request.execution_id)
  return { execution_id: request.execution_id, status: row.status }
}
