import type { WebhookRow, Webhooks, WebhookStore } from '@/server/ports/webhooks'
import type { Clock } from '@/server/ports/clock'
import type { Cipher } from '@/server/ports/secrets'
import { newSecret, purposeOf } from './secret'

export const WEBHOOKS_MAX = 100
/** How long the secret before the last rotation goes on signing. */
const ROTATION_MS = 24 * 60 * 60_000

export type RegistrationPorts = {
  readonly rows: WebhookStore
  readonly cipher: Cipher
  readonly clock: Pick<Clock, 'now'>
  readonly tenantId: string
  readonly newId: () => string
  /** A webhook is there, or is another than before. */
  readonly adopt: (row: WebhookRow) => void
  readonly drop: (webhookId: string) => void
}

/** Creates, changes and removes webhooks, one after the other: each change builds on what the one before wrote. */
export function createRegistration(ports: RegistrationPorts) {
  const { rows, cipher, clock, tenantId, adopt } = ports
  const seal = (webhookId: string, secret: string) => cipher.seal(secret, purposeOf(tenantId, webhookId))
  const secretOf = (webhookId: string, sealed: string) => cipher.open(sealed, purposeOf(tenantId, webhookId))

  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = last.then(change)
    last = done.catch(() => undefined)
    return done
  }

  const changes: Pick<Webhooks, 'create' | 'replace' | 'remove' | 'secretOf'> = {
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
        ports.drop(webhookId)
        return rows.remove(webhookId)
      }),

    secretOf,
  }
  return {
    ...changes,
    /** Its receiver will never take a delivery again. */
    switchOff: (webhookId: string): Promise<void> =>
      inTurn(async () => {
        const before = await rows.get(webhookId)
        if (before === null || !before.active) return
        const row = { ...before, active: false, updatedAt: clock.now() }
        if (await rows.update(row)) adopt(row)
      }),
  }
}
