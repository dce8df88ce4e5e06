import { createServer } from 'node:net'
import { once } from 'node:events'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { readEgressAllow } from '@/server/egress/allowance'
import { createEgress } from '@/server/egress/client'
import type { Clock } from '@/server/ports/clock'
import type { DeliveryRow, WebhookFields } from '@/server/ports/webhooks'
import { createCipher } from '@/server/secrets/cipher'
import { writeOf } from '@/server/store/contract-fixtures'
import { createMemoryDisk } from '@/server/store/memory/disk'
import { openMemoryStore } from '@/server/store/memory/open'
import { person } from '@/testing/person'
import { answering, openReceiver, type Received } from '@/testing/receiver'
import { openWebhooks } from './webhooks'

const HOUR = 3_600_000

/** A clock that only the test moves. */
class HandClock implements Clock {
  time = Date.UTC(2026, 0, 1)
  readonly #timers = new Set<{ readonly at: number; readonly wake: () => void }>()
  readonly #waiting = new Set<() => void>()
  now = () => this.time
  at(at: number, wake: () => void) {
    const timer = { at, wake }
    this.#timers.add(timer)
    for (const look of this.#waiting) look()
    if (at <= this.time) setImmediate(() => this.#fire(timer))
    return () => void this.#timers.delete(timer)
  }
  after = (ms: number, wake: () => void) => this.at(this.time + ms, wake)
  defer = (run: () => void) => void setImmediate(run)
  moveTo(time: number): void {
    this.time = time
    for (const timer of [...this.#timers].filter(({ at }) => at <= time)) this.#fire(timer)
  }
  /** Resolves when a timer is set for that time. */
  armed = (time: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (![...this.#timers].some(({ at }) => at === time)) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  #fire(timer: { readonly at: number; readonly wake: () => void }): void {
    if (this.#timers.delete(timer)) timer.wake()
  }
}

/** The real webhooks over the store in memory and the real way out, which may reach the loopback address. */
async function fixture(disk = createMemoryDisk(), clock = new HandClock()) {
  const store = openMemoryStore(disk)
  const warnings: string[] = []
  const recorded = new Set<() => void>()
  const egress = createEgress({ allow: readEgressAllow('127.0.0.1') })
  let ids = 0
  const webhooks = await openWebhooks({
    rows: {
      ...store.webhookRows,
      async record(rows) {
        await store.webhookRows.record(rows)
        for (const look of recorded) look()
      },
    },
    journal: store.journal,
    cipher: createCipher(['a key of tests, thirty-two characters']),
    egress,
    clock,
    newId: () => `w${(ids += 1)}`,
    tenantId: 'default',
    warn: (what, error) => warnings.push(`${what}: ${String(error)}`),
  })
  return {
    disk,
    clock,
    store,
    webhooks,
    warnings,
    async subscribe(url: string, changes: Partial<WebhookFields> = {}) {
      const retry = { attempts: 10, backoffMs: 5_000, maxDelayMs: 8 * HOUR }
      const fields = { url, eventTypes: ['*.done'], pipelineId: null, retry, active: true, ...changes }
      const row = await webhooks.create(fields, { secret: null, by: person('ada') })
      if (row === 'too_many') throw new Error(row)
      return { ...row, plain: webhooks.secretOf(row.webhookId, row.secret) }
    },
    /** Commits as many events as the commit loop would, with their deliveries. */
    async commit(executionId: string, count = 1, type = 'a.done') {
      const write = writeOf(
        executionId,
        Array.from({ length: count }, () => ({ type, at: clock.now() })),
      )
      const deliveries = webhooks.owed('p', write.entries)
      await store.journal.commit({ executions: [{ ...write, deliveries }] })
      webhooks.committed(deliveries)
    },
    /** The deliveries of a webhook, oldest first, as soon as they satisfy the condition. */
    until: (webhookId: string, condition: (rows: readonly DeliveryRow[]) => boolean) =>
      new Promise<readonly DeliveryRow[]>((resolve) => {
        const look = async () => {
          const rows = (await store.webhookRows.deliveries(webhookId, { limit: 1_000 })).items.toReversed()
          if (!condition(rows)) return
          recorded.delete(look)
          resolve(rows)
        }
        recorded.add(look)
        void look()
      }),
    async [Symbol.asyncDispose]() {
      await webhooks.stop()
      await egress.close()
    },
  }
}

const allAre = (status: DeliveryRow['status']) => (rows: readonly DeliveryRow[]) =>
  rows.length > 0 && rows.every((row) => row.status === status)

/** What the library says of a request under a secret, whatever time its own clock shows. */
function isSigned({ headers, text }: Received, secret: string): boolean {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000)
  const expected = new Webhook(secret).sign(String(headers['webhook-id']), sentAt, text)
  return String(headers['webhook-signature']).split(' ').includes(expected)
}

describe('a delivery', () => {
  it('[E-18] [R-19] is a signed POST of the event as the journal holds it, under the id of the event', async () => {
    await using receiver = await openReceiver()
    await using at = await fixture()
    const webhook = await at.subscribe(receiver.url)
    await at.commit('x1')
    const [row] = await at.until(webhook.webhookId, allAre('delivered'))
    expect(row).toMatchObject({ attempts: 1, nextAt: null, lastStatus: 204, lastError: null })
    expect(row?.deliveredAt).toBe(at.clock.now())
    const [entry] = await at.store.journal.read('x1')
    const [request] = receiver.received
    expect(request?.body).toEqual({
      event_type: 'a.done',
      execution_id: 'x1',
      timestamp: entry?.event.timestamp,
      event: entry?.event,
    })
    expect(request?.headers['webhook-id']).toBe('x1.1')
    expect(isSigned(request!, webhook.plain)).toBe(true)
    expect(isSigned({ ...request!, text: `${request?.text} ` }, webhook.plain)).toBe(false)
    expect(receiver.received).toHaveLength(1)
  })

  it('[R-19] nothing is sent before its commit, nothing of a time before the subscription', async () => {
    await using receiver = await openReceiver()
    await using at = await fixture()
    await at.commit('x0')
    const webhook = await at.subscribe(receiver.url)
    await at.commit('x1')
    await at.until(webhook.webhookId, allAre('delivered'))
    expect(receiver.received.map(({ body }) => body.execution_id)).toEqual(['x1'])
  })

  it('[R-19] fails, comes again under the same id later and later, is dead, and is sent again when asked', async () => {
    await using receiver = await openReceiver(answering(503))
    await using at = await fixture()
    const webhook = await at.subscribe(receiver.url)
    const begun = at.clock.now()
    await at.commit('x1')
    for (let tries = 1; tries < 10; tries++) {
      const [row] = await at.until(webhook.webhookId, ([one]) => one?.attempts === tries)
      expect(row).toMatchObject({ status: 'pending', lastStatus: 503, lastError: 'it answered 503' })
      const due = row!.nextAt!
      expect(due).toBeGreaterThan(at.clock.now())
      await at.clock.armed(due)
      at.clock.moveTo(due - 1)
      expect(receiver.received).toHaveLength(tries)
      at.clock.moveTo(due)
    }
    const [dead] = await at.until(webhook.webhookId, allAre('dead'))
    expect(dead).toMatchObject({ attempts: 10, nextAt: null, lastStatus: 503 })
    expect(at.clock.now() - begun).toBeGreaterThan(20 * HOUR)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['x1.1']))
    expect(receiver.received).toHaveLength(10)

    receiver.answer = answering(200)
    expect(await at.webhooks.redeliver(dead!)).toMatchObject({ status: 'pending', attempts: 0 })
    const [again] = await at.until(webhook.webhookId, allAre('delivered'))
    expect(again).toMatchObject({ attempts: 1, lastStatus: 200, lastError: null })
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe('x1.1')
    expect(await at.webhooks.redeliver({ ...dead!, seq: 99 })).toBeNull()
  })

  it('[R-19] waits as long as Retry-After asks, and so does everything else for that receiver', async () => {
    await using receiver = await openReceiver(answering(429, { 'retry-after': '3600' }))
    await using at = await fixture()
    const webhook = await at.subscribe(receiver.url)
    await at.commit('x1')
    const [row] = await at.until(webhook.webhookId, ([one]) => one?.attempts === 1)
    expect(row?.nextAt).toBe(at.clock.now() + HOUR)
    await at.commit('x2')
    receiver.answer = answering(200)
    at.clock.moveTo(at.clock.now() + HOUR - 1)
    expect(receiver.received).toHaveLength(1)
    at.clock.moveTo(at.clock.now() + 1)
    await at.until(webhook.webhookId, allAre('delivered'))
    expect(receiver.received).toHaveLength(3)
  })

  it('[R-19] 410 switches the webhook off: what was owed waits until it is active again', async () => {
    await using receiver = await openReceiver(answering(410))
    await using at = await fixture()
    const { webhookId, plain: _plain, ...fields } = await at.subscribe(receiver.url)
    await at.commit('x1')
    await at.until(webhookId, allAre('dead'))
    // Changes come one after the other: behind this one the webhook is switched off.
    await at.webhooks.replace('nobody', fields, { secret: null, rotate: false })
    expect(await at.webhooks.get(webhookId)).toMatchObject({ active: false })
    await at.commit('x2')
    expect(await at.store.webhookRows.pending(webhookId, 10)).toEqual([])
    receiver.answer = answering(200)
    await at.webhooks.replace(webhookId, { ...fields, active: true }, { secret: null, rotate: false })
    await at.commit('x3')
    await at.until(webhookId, (rows) => rows.some((row) => row.status === 'delivered'))
    expect(receiver.received.map(({ body }) => body.execution_id)).toEqual(['x1', 'x3'])
  })

  it.each([
    [302, 'it answered 302, and redirects are not followed'],
    [404, 'it answered 404'],
  ])('[R-19] %i is a failure, and nobody is followed', async (status, error) => {
    await using elsewhere = await openReceiver()
    await using receiver = await openReceiver(answering(status, { location: elsewhere.url }))
    await using at = await fixture()
    const webhook = await at.subscribe(receiver.url)
    await at.commit('x1')
    const [row] = await at.until(webhook.webhookId, ([one]) => one?.attempts === 1)
    expect(row).toMatchObject({ status: 'pending', lastStatus: status, lastError: error })
    expect(elsewhere.received).toEqual([])
  })

  it('[R-19] a huge answer is not read: its status has said it all', async () => {
    let sent = 0
    await using receiver = await openReceiver((response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384
      }
      response.on('drain', more).on('error', () => undefined)
      more()
    })
    await using at = await fixture()
    const webhook = await at.subscribe(receiver.url)
    await at.commit('x1')
    await at.until(webhook.webhookId, allAre('delivered'))
    // What the sockets of both sides hold comes on top of the 64 KB.
    expect(sent).toBeLessThan(20 * 1024 * 1024)
  })

  it.each([
    ['https://receiver.invalid/hook', /receiver\.invalid/],
    ['http://127.0.0.2/hook', /PENSTOCK_EGRESS_ALLOW/],
    ['http://169.254.169.254/latest', /PENSTOCK_EGRESS_ALLOW/],
  ])(
    '[R-19] a receiver that cannot be reached (%s) is recorded with its error, and tried again',
    async (url, error) => {
      await using at = await fixture()
      const webhook = await at.subscribe(url)
      await at.commit('x1')
      const [row] = await at.until(webhook.webhookId, ([one]) => one?.attempts === 1)
      expect(row).toMatchObject({ status: 'pending', lastStatus: null })
      expect(row?.lastError).toMatch(error)
      expect(row?.lastError).not.toContain('whsec_')
    },
  )

  it('[R-19] a port on which nobody listens is tried until somebody does', async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as { port: number }
    probe.close()
    await once(probe, 'close')
    await using at = await fixture()
    const webhook = await at.subscribe(`http://127.0.0.1:${port}/hook`)
    await at.commit('x1')
    const [row] = await at.until(webhook.webhookId, ([one]) => one?.attempts === 1)
    expect(row?.lastError).toContain(`127.0.0.1:${port}`)
    await using receiver = await openReceiver(answering(200), { port })
    at.clock.moveTo(row!.nextAt!)
    await at.until(webhook.webhookId, allAre('delivered'))
    expect(receiver.received).toHaveLength(1)
  })
})

describe('receivers beside each other', () => {
  it('[E-18] one that hangs delays nobody, gets four calls at once and is given up after fifteen seconds', async () => {
    await using silent = await openReceiver(() => undefined)
    await using quick = await openReceiver()
    await using at = await fixture()
    const hanging = await at.subscribe(silent.url)
    const other = await at.subscribe(quick.url)
    await at.commit('x1', 20)
    const rows = await at.until(other.webhookId, allAre('delivered'))
    expect(rows).toHaveLength(20)
    await silent.until(({ length }) => length === 4)
    at.clock.moveTo(at.clock.now() + 14_999)
    expect(allAre('pending')(await at.store.webhookRows.pending(hanging.webhookId, 100))).toBe(true)
    at.clock.moveTo(at.clock.now() + 1)
    const late = await at.until(
      hanging.webhookId,
      (all) => all.filter((row) => row.attempts === 1).length === 4,
    )
    expect(late.find((row) => row.attempts === 1)?.lastError).toBe('it did not answer within 15 seconds')
    // From now on it is asked with one call at a time.
    await silent.until(({ length }) => length === 5)
    expect(silent.received).toHaveLength(5)
  })

  it('[E-18] a burst of 1,000 events arrives whole, each once', async () => {
    await using receiver = await openReceiver()
    await using at = await fixture()
    const webhook = await at.subscribe(receiver.url)
    await at.commit('x1', 1_000)
    await receiver.until(({ length }) => length === 1_000)
    await at.until(webhook.webhookId, (rows) => rows.length === 1_000 && allAre('delivered')(rows))
    const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']))
    expect(ids).toHaveLength(1_000)
    expect(new Set(ids).size).toBe(1_000)
    expect(at.warnings).toEqual([])
  })
})

describe('webhooks', () => {
  it('[R-19] a restart takes up what is owed, also what was sent and not yet recorded, under the same id', async () => {
    await using receiver = await openReceiver(() => undefined)
    const disk = createMemoryDisk()
    {
      await using at = await fixture(disk)
      await at.subscribe(receiver.url)
      await at.commit('x1', 2)
      await receiver.until(({ length }) => length === 2)
    }
    receiver.answer = answering(200)
    await using again = await fixture(disk)
    const [{ webhookId } = { webhookId: '' }] = (await again.webhooks.list({ limit: 1 })).items
    const rows = await again.until(webhookId, allAre('delivered'))
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1])
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids.slice(0, 2).toSorted()).toEqual(['x1.1', 'x1.2'])
    expect(ids.slice(2).toSorted()).toEqual(['x1.1', 'x1.2'])
  })

  it('[R-19] a rotated secret signs at once, the one before for a day; at rest there is neither', async () => {
    await using receiver = await openReceiver()
    await using at = await fixture()
    const first = await at.subscribe(receiver.url)
    const { plain: old, ...fields } = first
    const same = await at.webhooks.replace(first.webhookId, fields, { secret: old, rotate: false })
    expect(same?.rotated).toBe(false)
    const second = await at.webhooks.replace(first.webhookId, fields, { secret: null, rotate: true })
    const plain = at.webhooks.secretOf(first.webhookId, second!.row.secret)
    expect([second?.rotated, plain === old]).toEqual([true, false])
    await at.commit('x1')
    await at.until(first.webhookId, allAre('delivered'))
    at.clock.moveTo(at.clock.now() + 24 * HOUR)
    await at.commit('x2')
    await at.until(first.webhookId, (rows) => rows.length === 2 && allAre('delivered')(rows))
    const signedBy = receiver.received.map((one) => [isSigned(one, old), isSigned(one, plain)])
    expect(signedBy).toEqual([
      [true, true],
      [false, true],
    ])
    const atRest = JSON.stringify([...at.disk.webhooks.values()])
    for (const secret of [old, plain]) expect(atRest).not.toContain(secret.slice(6))
  })

  it('[E-18] a deleted one receives nothing more, and a hundred are the most', async () => {
    await using receiver = await openReceiver()
    await using at = await fixture()
    const all = []
    for (let n = 0; n < 100; n++) all.push(await at.subscribe(receiver.url, { eventTypes: [`n${n}.done`] }))
    await expect(at.subscribe(receiver.url)).rejects.toThrow('too_many')
    expect(await at.webhooks.remove(all[7]!.webhookId)).toBe(true)
    await at.commit('x7', 1, 'n7.done')
    await at.commit('x8', 1, 'n8.done')
    await at.until(all[8]!.webhookId, allAre('delivered'))
    expect(receiver.received.map(({ body }) => body.execution_id)).toEqual(['x8'])
  })

  it('deliveries that arrived are forgotten after a week', async () => {
    await using receiver = await openReceiver()
    await using at = await fixture()
    const { webhookId } = await at.subscribe(receiver.url)
    await at.commit('x1')
    await at.until(webhookId, allAre('delivered'))
    const kept = async () => (await at.webhooks.deliveries(webhookId, { limit: 10 })).items.length
    for (let day = 1; day <= 7; day++) {
      expect(await kept()).toBe(1)
      at.clock.moveTo(at.clock.now() + 24 * HOUR)
    }
    at.clock.moveTo(at.clock.now() + 24 * HOUR)
    expect(await kept()).toBe(0)
  })
})
