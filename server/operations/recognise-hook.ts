import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { WebhookTrigger } from '@/core/pipeline/definition/triggers'
import type { HookCall } from '@/server/ports/hook-proof'
import type { OperationContext } from './context'

/** A caller who proved to know the secret of a trigger: that, and nothing else, is what they may do. */
export type HookCaller = {
  readonly pipeline: CompiledPipeline
  readonly trigger: WebhookTrigger
  /** Names the call where its proof does. */
  readonly key: string | null
}

/** Asked right before a proof is checked and updated right after a wrong one, so that no call slips in between. */
export type HookGuard = { readonly admit: () => void; readonly wrong: () => void }

/**
 * Who calls a hook, or null. Nobody learns why: no such pipeline or trigger, one that is switched off, no secret, a wrong proof. Only
 * triggers of the latest revision count.
 */
export async function recogniseHook(
  ctx: OperationContext,
  name: { readonly pipelineId: string; readonly triggerId: string },
  call: Omit<HookCall, 'now'>,
  guard: HookGuard,
): Promise<HookCaller | null> {
  const row = await ctx.pipelines.get(name.pipelineId)
  const pipeline = row === null ? null : await ctx.runs.pipeline(row.id, row.revision)
  const found = pipeline?.triggers.get(name.triggerId)
  const trigger = found?.type === 'webhook' && found.enabled ? found : null
  const secret = trigger === null ? null : await ctx.secrets.reveal(trigger.secret)
  guard.admit()
  // An empty secret would be known to everybody.
  const proof = ctx.checkHookProof(secret === '' ? null : secret, trigger?.auth ?? null, {
    ...call,
    now: ctx.clock.now(),
  })
  if (proof === null) guard.wrong()
  return pipeline === null || trigger === null || proof === null
    ? null
    : { pipeline, trigger, key: proof.key }
}
