import type { Outbox, WebhookRow, Webhooks, WebhookStore } from '@/server/ports/webhooks'
import { createCall, type CallPorts } from './call'
import { createRegistration, WEBHOOKS_MAX } from './registration'
import { createSubscriptions } from './subscriptions'
import { createWorker } from './worker'

/** How long a delivery that arrived can be looked at. */
const KEEP_DELIVERED_MS = 7 * 24 * 60 * 60_000
const FORGET_EVERY_MS = 24 * 60 * 60_000
const FORGET_AT_ONCE = 1_000

export type WebhookPorts = CallPorts & {
  readonly rows: WebhookStore
  readonly newId: () => string
  readonly warn: (what: string, error: unknown) => void
}

export type OpenWebhooks = Webhooks & Outbox & { stop(): Promise<void> }

/** Reads who subscribes, and takes up what is owed from before. Has to be open before anything is committed. */
export async function openWebhooks(ports: WebhookPorts): Promise<OpenWebhooks> {
  const { rows, cipher, clock, tenantId, newId, warn } = ports
  const subscriptions = createSubscriptions()
  const worker = createWorker({
    rows,
    clock,
    warn,
    call: createCall(ports),
    gone: (webhookId) =>
      void switchOff(webhookId).catch((error: unknown) => warn('a webhook was not switched off', error)),
  })
  function adopt(row: WebhookRow): void {
    subscriptions.set(row)
    worker.set(row)
  }
  function drop(webhookId: string): void {
    subscriptions.delete(webhookId)
    worker.delete(webhookId)
  }
  const { switchOff, ...changes } = createRegistration({
    rows,
    cipher,
    clock,
    tenantId,
    newId,
    adopt,
    drop,
  })

  let cancelForget = () => {}
  async function forget(): Promise<void> {
    cancelForget = clock.after(FORGET_EVERY_MS, () => void forget())
    try {
      while (
        (await rows.forgetDelivered(clock.now() - KEEP_DELIVERED_MS, FORGET_AT_ONCE)) === FORGET_AT_ONCE
      );
    } catch (error) {
      warn('old deliveries were not forgotten', error)
    }
  }

  for (const row of (await rows.list({ limit: WEBHOOKS_MAX })).items) adopt(row)
  void forget()

  return {
    ...changes,
    get: (webhookId) => rows.get(webhookId),
    list: (range) => rows.list(range),
    deliveries: (webhookId, range) => rows.deliveries(webhookId, range),

    async redeliver(key) {
      const before = await rows.delivery(key)
      if (before === null) return null
      const row = {
        ...before,
        status: 'pending',
        attempts: 0,
        nextAt: clock.now(),
        deliveredAt: null,
      } as const
      await rows.record([row])
      worker.wake(key.webhookId)
      return row
    },

    owed: subscriptions.owed,

    committed(owed) {
      for (const webhookId of new Set(owed.map((one) => one.webhookId))) worker.wake(webhookId)
    },

    async stop() {
      cancelForget()
      await worker.stop()
    },
  }
}
