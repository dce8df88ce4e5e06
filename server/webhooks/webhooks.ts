import type { Outbox, WebhookRow, Webhooks, WebhookStore } from '@/server/ports/webhooks'
import { createCall, type CallPorts } from './call'
import { newSecret, purposeOf } from './secret'
import { createSubscriptions } from './subscriptions'
import { createWorker } from './worker'

const WEBHOOKS_MAX = 100
/** How long the secret before the last rotation goes on signing. */
const ROTATION_MS = 24 * 60 * 60_000
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
  const { rows, cipher, clock, tenantId, warn } = ports
  const subscriptions = createSubscriptions()
  const worker = createWorker({
    rows,
    clock,
    warn,
    call: createCall(ports),
    gone: (webhookId) =>
      void switchOff(webhookId).catch((error: unknown) => warn('a webhook was not switched off', error)),
  })
  const seal = (webhookId: string, secret: string) => cipher.seal(secret, purposeOf(tenantId, webhookId))
  const secretOf = (webhookId: string, sealed: string) => cipher.open(sealed, purposeOf(tenantId, webhookId))

  /** Changes come one after the other: each builds on what the one before wrote. */
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = last.then(change)
    last = done.catch(() => undefined)
    return done
  }

  function adopt(row: WebhookRow): void {
    subscriptions.set(row)
    worker.set(row)
  }

  const switchOff = (webhookId: string) =>
    inTurn(async () => {
      const before = await rows.get(webhookId)
      if (before === null || !before.active) return
      const row = { ...before, active: false, updatedAt: clock.now() }
      if (await rows.update(row)) adopt(row)
    })

  let cancelForget = () => {}
  async function forget(): Promise<void> {
    cancelForget = clock.at(clock.now() + FORGET_EVERY_MS, () => void forget())
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
    create: (fields, { secret, by }) =>
      inTurn(async () => {
        const webhookId = ports.newId()
        const now = clock.now()
        const row: WebhookRow = {
          ...fields,
          webhookId,
          secret: seal(webhookId, secret ?? newSecret()),
          previousSecret: null,
          previousUntil: null,
          createdAt: now,
          createdBy: by.name,
          createdById: by.id,
          updatedAt: now,
        }
        if (!(await rows.insert(row, WEBHOOKS_MAX))) return 'too_many'
        adopt(row)
        return row
      }),

    replace: (webhookId, fields, { secret, rotate }) =>
      inTurn(async () => {
        const before = await rows.get(webhookId)
        if (before === null) return null
        const now = clock.now()
        const rotated = rotate || (secret !== null && secret !== secretOf(webhookId, before.secret))
        const secrets = rotated && {
          secret: seal(webhookId, secret ?? newSecret()),
          previousSecret: before.secret,
          previousUntil: now + ROTATION_MS,
        }
        const row: WebhookRow = { ...before, ...fields, ...secrets, updatedAt: now }
        if (!(await rows.update(row))) return null
        adopt(row)
        return { row, rotated }
      }),

    remove: (webhookId) =>
      inTurn(async () => {
        subscriptions.delete(webhookId)
        worker.delete(webhookId)
        return rows.remove(webhookId)
      }),

    get: (webhookId) => rows.get(webhookId),
    list: (range) => rows.list(range),
    secretOf,
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
