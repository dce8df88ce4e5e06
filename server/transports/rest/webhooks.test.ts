import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { noop, S } from '@/testing/engine-run'
import { openReceiver } from '@/testing/receiver'

type Shown = { webhook_id: string; secret: string; active: boolean; [field: string]: unknown }
type Deliveries = {
  items: { delivery_id: string; status: string; attempts: number }[]
  next_cursor: string | null
}

const URL_OF = 'https://receiver.example/hook'

async function define(api: ApiServer, id: string, child?: string) {
  const node = child === undefined ? noop('a') : { id: 'a', pipeline: child, startWhen: S }
  const answer = await api.call('POST', '/api/v1/pipelines', {
    schemaVersion: 1,
    id,
    name: id,
    nodes: [node],
  })
  expect(answer.status).toBe(201)
}

async function run(api: ApiServer, id: string): Promise<string> {
  const { execution_id } = (await api.call('POST', `/api/v1/pipelines/${id}/executions`, {})).body as {
    execution_id: string
  }
  await api.closed(execution_id)
  return execution_id
}

describe('webhooks over REST', () => {
  it('[E-18] are created with a secret that is shown once, read, replaced and deleted', async () => {
    await using api = await openApiServer()
    await define(api, 'p')
    const body = { url: URL_OF, event_types: ['pipeline.completed', '*.failed'], pipeline_id: 'p' }
    const created = await api.call('POST', '/api/v1/webhooks', body)
    const { secret, ...shown } = created.body as Shown
    expect(created.status).toBe(201)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toMatchObject({
      ...body,
      retry: { attempts: 10, backoff: '5s', max_delay: '8h' },
      active: true,
      created_by: 'root',
    })
    const path = `/api/v1/webhooks/${shown.webhook_id}`
    expect((await api.call('GET', path)).body).toEqual(shown)
    expect((await api.call('GET', '/api/v1/webhooks')).body).toEqual({ items: [shown], next_cursor: null })

    const other = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const changed = { url: 'http://other.example', event_types: ['*.*'], active: false }
    const given = { ...changed, secret: other, retry: { attempts: 3, backoff: 'PT1M', max_delay: '2m' } }
    const put = await api.call('PUT', path, given)
    const retry = { attempts: 3, backoff: '1m', max_delay: '2m' }
    expect(put.body).toMatchObject({ ...changed, pipeline_id: null, retry, secret: other })
    const kept = await api.call('PUT', path, changed)
    expect((kept.body as Shown).secret).toBeNull()
    const rotated = await api.call('PUT', path, { ...changed, rotate_secret: true })
    expect([secret, other, null]).not.toContain((rotated.body as Shown).secret)

    expect((await api.call('DELETE', path)).status).toBe(204)
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/x.1/redeliver'],
    ] as const)
      expect((await api.call(method, path + rest)).status, method + rest).toBe(404)
    expect((await api.call('PUT', path, changed)).status).toBe(404)
    expect(api.defects).toEqual([])
  })

  it('[R-73] the same key again gives the first answer with its secret, which is stored sealed', async () => {
    await using api = await openApiServer()
    const body = { url: URL_OF, event_types: ['*.failed'] }
    const key = { 'idempotency-key': 'k1' }
    const first = await api.call('POST', '/api/v1/webhooks', body, key)
    const second = await api.call('POST', '/api/v1/webhooks', body, key)
    expect(second.body).toEqual(first.body)
    const record = await api.ctx.idempotency.find('create_webhook:root', 'k1')
    expect(JSON.stringify(record)).not.toContain('whsec_')
    const clash = await api.call('POST', '/api/v1/webhooks', { ...body, active: false }, key)
    expect(clash.status).toBe(409)
    expect((await api.call('GET', '/api/v1/webhooks')).body).toMatchObject({ items: [{}] })
  })

  it.each([
    ['url', 'ftp://receiver.example'],
    ['url', 'https://ada:secret@receiver.example'],
    ['url', 'https://ada@receiver.example'],
    ['url', '/hook'],
    ['url', `https://receiver.example/${'a'.repeat(2_048)}`],
    ['event_types', []],
    ['event_types', ['a..b']],
    ['event_types', ['**']],
    ['event_types', Array(51).fill('*.failed')],
    ['pipeline_id', 'nowhere'],
    ['secret', 'whsec_short'],
    ['secret', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['secret', Buffer.alloc(32).toString('base64')],
    ['retry', { attempts: 0 }],
    ['retry', { attempts: 21 }],
    ['retry', { backoff: '10ms' }],
    ['retry', { max_delay: '2d' }],
    ['retry', { strategy: 'fixed' }],
    ['headers', {}],
  ])('[E-18] refuses %s %j with its place', async (field, value) => {
    await using api = await openApiServer()
    const body = { url: URL_OF, event_types: ['*.failed'], [field]: value }
    const answer = await api.call('POST', '/api/v1/webhooks', body)
    expect(answer.status).toBe(422)
    expect((answer.body as { error: { issues: { path: string[] }[] } }).error.issues[0]?.path[0]).toBe(field)
    expect(JSON.stringify(answer.body)).not.toContain('whsec_short')
  })

  it('[E-18] [R-19] sends events of runs and of their children, signed; what failed is listed and sent again', async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(400).end())
    await using api = await openApiServer({ egressAllow: '127.0.0.1' })
    await define(api, 'child')
    await define(api, 'parent', 'child')
    const subscription = { url: receiver.url, event_types: ['pipeline.completed'], retry: { attempts: 1 } }
    const { webhook_id, secret } = (await api.call('POST', '/api/v1/webhooks', subscription)).body as Shown
    const parent = await run(api, 'parent')
    await receiver.until(({ length }) => length === 2)
    const ids = receiver.received.map(({ body }) => body.execution_id)
    expect(new Set(ids).size).toBe(2)
    expect(ids).toContain(parent)
    for (const { headers, text } of receiver.received)
      expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toMatchObject({
        event_type: 'pipeline.completed',
      })

    const path = `/api/v1/webhooks/${webhook_id}`
    const list = async (query: string) =>
      (await api.call('GET', `${path}/deliveries${query}`)).body as Deliveries
    // From outside nobody sees when an outcome is on disk: the list is asked until it says so.
    while ((await list('?status=dead')).items.length < 2);
    const first = await list('?limit=1')
    const second = await list(`?limit=1&cursor=${first.next_cursor}`)
    const events = [...first.items, ...second.items].map(({ delivery_id }) => delivery_id)
    expect(events.toSorted()).toEqual(receiver.received.map(({ body }) => body.event.id).toSorted())
    expect(second.next_cursor).toBeNull()
    expect((await api.call('GET', `${path}/deliveries?cursor=x`)).status).toBe(400)
    expect((await api.call('GET', `${path}/deliveries?status=lost`)).status).toBe(422)

    receiver.answer = (response) => void response.writeHead(200).end()
    const again = `${path}/deliveries/${events[0]}/redeliver`
    expect((await api.call('POST', again)).body).toMatchObject({ delivery_id: events[0], status: 'pending' })
    await receiver.until(({ length }) => length === 3)
    expect(receiver.received[2]?.headers['webhook-id']).toBe(events[0])
    for (const id of ['nowhere.1', 'nowhere', `${parent}.999`])
      expect((await api.call('POST', `${path}/deliveries/${id}/redeliver`)).status, id).toBe(404)
    await api.call('PUT', path, { ...subscription, active: false })
    expect((await api.call('POST', again)).status).toBe(409)
    expect(api.defects).toEqual([])
  })

  it('[E-18] of one pipeline only, where it says so', async () => {
    await using receiver = await openReceiver()
    await using api = await openApiServer({ egressAllow: '127.0.0.1' })
    await define(api, 'p')
    await define(api, 'q')
    await api.call('POST', '/api/v1/webhooks', { url: receiver.url, event_types: ['*.*'], pipeline_id: 'q' })
    await run(api, 'p')
    const mine = await run(api, 'q')
    await receiver.until((all) => all.some(({ body }) => body.event_type === 'pipeline.closed'))
    expect(new Set(receiver.received.map(({ body }) => body.execution_id))).toEqual(new Set([mine]))
  })
})
