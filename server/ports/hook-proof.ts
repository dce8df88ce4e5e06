import type { WebhookTrigger } from '@/core/pipeline/definition/triggers'

/** What a call to a hook shows. Header names in lower case; the body as it came, byte for byte. */
export type HookCall = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Whether a call proves to know the secret of a trigger; null: it does not, as with every call when there is no secret. `key` names
 * the call where its proof does: shown again, it is the same call.
 */
export type CheckHookProof = (
  secret: string | null,
  auth: WebhookTrigger['auth'],
  call: HookCall,
) => { readonly key: string | null } | null
