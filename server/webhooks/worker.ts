import type { Clock } from '@/server/ports/clock'
import type { DeliveryRow, WebhookRow, WebhookStore } from '@/server/ports/webhooks'
import type { Outcome } from './call'
import { createAlarm } from './alarm'
import { createOutcomeRecorder, type Landed } from './outcome-recorder'
import { retryDelay } from './retry-delay'

/** Calls to one endpoint at once; one alone after a failure, until it answers well again. */
const AT_ONCE = 4
/** How long the endpoint waits when the store could not be read or written. */
const REST_MS = 60_000

type Endpoint = {
  webhook: WebhookRow
  /** Deliveries that are sent and not yet recorded, by event. */
  readonly flying: Set<string>
  failing: boolean
  /** Nothing is sent before this time: the receiver asked for it. */
  notBefore: number
  /** When it is looked at again by itself; null: a commit or a landing does it. */
  wakeAt: number | null
  looking: boolean
  again: boolean
}

export type WorkerPorts = {
  readonly rows: WebhookStore
  readonly clock: Clock
  readonly call: (webhook: WebhookRow, delivery: DeliveryRow, stopped: AbortSignal) => Promise<Outcome>
  /** The receiver of this webhook will never take a delivery again. */
  readonly gone: (webhookId: string) => void
  readonly warn: (what: string, error: unknown) => void
}

const idOf = ({ executionId, seq }: DeliveryRow) => `${executionId}.${seq}`

/**
 * Sends what is owed, at least once: a delivery stays pending until its outcome is on disk, so one whose outcome died with the
 * process is sent again. It looks when something was committed and when the first retry is due, and never otherwise. Every
 * endpoint has slots of its own: one that hangs or fails takes none of another's.
 */
export function createWorker({ rows, clock, call, gone, warn }: WorkerPorts) {
  const endpoints = new Map<string, Endpoint>()
  const stopping = new AbortController()
  const outcomes = createOutcomeRecorder<Endpoint>((landed) => rows.record(landed), recorded)
  const alarm = createAlarm(clock, deliverDue)

  async function look(endpoint: Endpoint): Promise<void> {
    endpoint.again = true
    if (endpoint.looking) return
    endpoint.looking = true
    while (endpoint.again) {
      endpoint.again = false
      try {
        endpoint.wakeAt = await sendDue(endpoint)
      } catch (error) {
        warn('deliveries of a webhook could not be read', error)
        endpoint.wakeAt = clock.now() + REST_MS
      }
    }
    endpoint.looking = false
    arm()
  }

  /** Sends what is due as far as there is room. Answers when to look again although nothing happens. */
  async function sendDue(endpoint: Endpoint): Promise<number | null> {
    const { webhook, flying } = endpoint
    const isCurrent = () => !stopping.signal.aborted && endpoints.get(webhook.webhookId) === endpoint
    if (!isCurrent() || !webhook.active) return null
    if (endpoint.notBefore > clock.now()) return endpoint.notBefore
    const room = (endpoint.failing ? 1 : AT_ONCE) - flying.size
    if (room <= 0) return null
    const first = await rows.pending(webhook.webhookId, flying.size + room + 1)
    if (!isCurrent()) return null
    const waiting = first.filter((row) => !flying.has(idOf(row)))
    const now = clock.now()
    const due = waiting.filter((row) => (row.nextAt ?? 0) <= now).slice(0, room)
    for (const row of due) void send(endpoint, row)
    // With all slots taken, the next delivery that ends checks again.
    return due.length === room ? null : (waiting[due.length]?.nextAt ?? null)
  }

  async function send(endpoint: Endpoint, row: DeliveryRow): Promise<void> {
    const { webhook } = endpoint
    endpoint.flying.add(idOf(row))
    const outcome = await call(webhook, row, stopping.signal)
    if (stopping.signal.aborted) return
    endpoint.failing = outcome.kind !== 'delivered'
    if (outcome.kind === 'failed' && outcome.retryAfterMs > 0)
      endpoint.notBefore = clock.now() + outcome.retryAfterMs
    if (outcome.kind === 'gone') gone(webhook.webhookId)
    outcomes.add({ endpoint, row: after(webhook, row, outcome, clock.now()) })
  }

  function recorded(batch: readonly Landed<Endpoint>[], failure: { readonly error: unknown } | null): void {
    if (failure !== null) {
      warn('outcomes of deliveries were not recorded: they are sent again', failure.error)
      for (const { endpoint } of batch) endpoint.notBefore = clock.now() + REST_MS
    }
    for (const { endpoint, row } of batch) endpoint.flying.delete(idOf(row))
    for (const endpoint of new Set(batch.map((one) => one.endpoint))) void look(endpoint)
  }

  function arm(): void {
    alarm.set(Math.min(...Array.from(endpoints.values(), ({ wakeAt }) => wakeAt ?? Infinity)))
  }

  function deliverDue(): void {
    const now = clock.now()
    for (const endpoint of endpoints.values())
      if (endpoint.wakeAt !== null && endpoint.wakeAt <= now) void look(endpoint)
    arm()
  }

  return {
    /** Takes up a webhook, or what changed of one: it gets a fresh chance at once. */
    set(webhook: WebhookRow): void {
      const there = endpoints.get(webhook.webhookId)
      const fresh = { webhook, failing: false, notBefore: 0, wakeAt: null }
      const endpoint = there ?? { ...fresh, flying: new Set(), looking: false, again: false }
      Object.assign(endpoint, fresh)
      endpoints.set(webhook.webhookId, endpoint)
      void look(endpoint)
    },
    delete(webhookId: string): void {
      endpoints.delete(webhookId)
      arm()
    },
    /** Something of this webhook is due. */
    wake(webhookId: string): void {
      const endpoint = endpoints.get(webhookId)
      if (endpoint !== undefined) void look(endpoint)
    },
    /** Gives up the calls that run, which the next start makes again, and lets the recording finish. */
    async stop(): Promise<void> {
      stopping.abort(new Error('the server stops'))
      alarm.stop()
      await outcomes.idle()
    },
  }
}

/** What becomes of a delivery by an outcome. */
function after(webhook: WebhookRow, row: DeliveryRow, outcome: Outcome, now: number): DeliveryRow {
  const attempts = row.attempts + 1
  const tried = { ...row, attempts, lastStatus: outcome.status }
  if (outcome.kind === 'delivered')
    return { ...tried, status: 'delivered', nextAt: null, lastError: null, deliveredAt: now }
  if (outcome.kind === 'gone')
    return {
      ...tried,
      status: 'dead',
      nextAt: null,
      lastError: 'it is gone (410): the webhook was switched off',
    }
  const { error: lastError, retryAfterMs } = outcome
  if (attempts >= webhook.retry.attempts) return { ...tried, status: 'dead', nextAt: null, lastError }
  const delay = Math.max(retryDelay(webhook.retry, attempts, idOf(row)), retryAfterMs)
  return { ...tried, nextAt: now + delay, lastError }
}
