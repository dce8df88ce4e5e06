import { Webhook } from 'standardwebhooks'
import { retryAfterMs } from '@/core/engine/decide/retry-after'
import type { Clock } from '@/server/ports/clock'
import type { Egress, EgressResponse } from '@/server/ports/egress'
import type { Journal } from '@/server/ports/journal'
import type { Cipher } from '@/server/ports/secrets'
import type { DeliveryRow, WebhookRow } from '@/server/ports/webhooks'
import { purposeOf } from './secret'

/** How long one call may take, to the end of the answer. */
const CALL_MS = 15_000
/** What is read of an answer, so that its connection can be used again. Past it the connection is given up. */
const ANSWER_BYTES = 64 * 1024
const ERROR_MAX = 500

/** What a receiver made of a delivery. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** It will never take one again (410). */
  | { readonly kind: 'gone'; readonly status: number }
  | {
      readonly kind: 'failed'
      /** null: there was no answer. */
      readonly status: number | null
      readonly error: string
      /** What the receiver asks for at least, milliseconds. */
      readonly retryAfterMs: number
    }

export type CallPorts = {
  readonly journal: Pick<Journal, 'read'>
  readonly cipher: Cipher
  readonly egress: Egress
  readonly clock: Clock
  readonly tenantId: string
}

/**
 * One try of one delivery: a signed POST of the event as the journal holds it. `webhook-id` is the id of the event, the same
 * over all tries, by which receivers recognise repetitions. Never throws: whatever went wrong is an outcome.
 */
export function createCall({ journal, cipher, egress, clock, tenantId }: CallPorts) {
  async function bodyOf({ executionId, seq }: DeliveryRow): Promise<string> {
    const [entry] = await journal.read(executionId, { after: seq - 1, limit: 1 })
    if (entry === undefined) throw new Error('the event is not there any more')
    const { event } = entry
    return JSON.stringify({
      event_type: event.type,
      execution_id: executionId,
      timestamp: event.timestamp,
      event,
    })
  }

  /** Signed by the secret, and by the one before it while receivers change over. */
  function headersOf(webhook: WebhookRow, id: string, body: string): ReadonlyMap<string, string> {
    const now = clock.now()
    const { webhookId, secret, previousSecret, previousUntil } = webhook
    const sealed = [
      secret,
      ...(previousSecret !== null && now < (previousUntil ?? 0) ? [previousSecret] : []),
    ]
    const signatures = sealed.map((one) =>
      new Webhook(cipher.open(one, purposeOf(tenantId, webhookId))).sign(id, new Date(now), body),
    )
    return new Map([
      ['content-type', 'application/json'],
      ['user-agent', 'Penstock'],
      ['webhook-id', id],
      ['webhook-timestamp', String(Math.floor(now / 1_000))],
      ['webhook-signature', signatures.join(' ')],
    ])
  }

  return async function call(
    webhook: WebhookRow,
    delivery: DeliveryRow,
    stopped: AbortSignal,
  ): Promise<Outcome> {
    const late = new AbortController()
    const cancel = clock.after(CALL_MS, () =>
      late.abort(new Error(`it did not answer within ${CALL_MS / 1_000} seconds`)),
    )
    try {
      const body = await bodyOf(delivery)
      const response = await egress.fetch({
        method: 'POST',
        url: webhook.url,
        headers: headersOf(webhook, `${delivery.executionId}.${delivery.seq}`, body),
        body: Buffer.from(body),
        signal: AbortSignal.any([late.signal, stopped]),
        maxBytes: ANSWER_BYTES,
        followRedirects: false,
      })
      await readAway(response)
      return judge(response, clock.now())
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', status: null, error: reason.slice(0, ERROR_MAX), retryAfterMs: 0 }
    } finally {
      cancel()
    }
  }
}

/** The status has said it all: whatever the body does, it changes nothing. */
async function readAway({ body }: EgressResponse): Promise<void> {
  try {
    for await (const _chunk of body);
  } catch {
    // too long, too slow or broken: the connection is gone, the answer stands
  }
}

function judge({ status, headers }: EgressResponse, now: number): Outcome {
  if (status >= 200 && status <= 299) return { kind: 'delivered', status }
  if (status === 410) return { kind: 'gone', status }
  const why = status >= 300 && status <= 399 ? ', and redirects are not followed' : ''
  const error = `it answered ${status}${why}`
  return { kind: 'failed', status, error, retryAfterMs: retryAfterMs(headers.get('retry-after'), now) }
}
