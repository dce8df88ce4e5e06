import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { S, approval, set } from '@/testing/definitions'
import { person } from '@/testing/person'

const key = `whsec_${Buffer.from('a key of twenty-four chars').toString('base64')}`
const inputs = {
  station: { type: 'string', enum: ['seattle', 'sf'] },
  source: { type: 'string', default: 'none' },
}

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer()
  await put('weather', {})
  await api.ctx.secrets.put('weather_hook', 'a long secret', person('ada'))
  await api.ctx.secrets.put('signed_hook', key, person('ada'))
})
afterAll(() => api[Symbol.asyncDispose]())

async function put(id: string, extra: object, triggers: readonly object[] = []): Promise<void> {
  const hook = {
    id: 'hook',
    type: 'webhook',
    secret: 'secret:weather_hook',
    inputs: { station: '{{ body.station }}', source: "{{ headers['x-source'] }}/{{ query.via }}" },
  }
  const plain = { inputs: { station: '{{ body.station }}' } }
  const definition = {
    id,
    inputs,
    triggers: [
      hook,
      { ...hook, ...plain, id: 'signed', secret: 'secret:signed_hook' },
      { ...hook, ...plain, id: 'off', enabled: false },
      { ...hook, ...plain, id: 'nobodys', secret: 'secret:not_there' },
      { id: 'daily', type: 'cron', cron: '0 6 * * *', inputs: { station: 'sf' } },
      ...triggers,
    ],
    nodes: [set('a', { from: '{{ pipeline.input.station }} {{ pipeline.input.source }}' })],
    ...extra,
  }
  expect((await api.call('POST', '/api/v1/pipelines', definition)).status).toBe(201)
}

const bearer = { authorization: 'Bearer a long secret' }
const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', path, body, { authorization: '', ...headers })
const idOf = (answer: { body: unknown }) => (answer.body as { execution_id: string }).execution_id

describe('POST /hooks/{pipeline}/{trigger}', () => {
  it('[R-86] refuses a message that it would read as something else', async () => {
    for (const [body, why] of [
      ['{"station":"sf","id":7615917337495251231}', 'would become 7615917337495251000'],
      ['{"station":"sf","station":"sf"}', "the key 'station' is written twice"],
      ['{"station":"sf","id":1e400}', '1e400 is larger than a number can be'],
    ] as const)
      expect(await call('/hooks/weather/hook', body, bearer)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining(why) as string } },
      })
  })

  it('starts the latest revision with what the trigger makes of the message', async () => {
    const answer = await call(
      '/hooks/weather/hook?via=post',
      { station: 'sf' },
      { ...bearer, 'x-source': 'buoy' },
    )
    expect(answer).toMatchObject({ status: 202, body: { execution_id: expect.any(String) } })
    expect(await api.closed(idOf(answer))).toMatchObject({
      status: 'completed',
      requested_by: 'hook:hook',
      inputs: { station: 'sf', source: 'buoy/post' },
    })
  })

  it('refuses a query that says a name twice, instead of choosing', async () => {
    const headers = { ...bearer, 'x-source': 'buoy' }
    const answer = await call('/hooks/weather/hook?via=a&via=b', { station: 'sf' }, headers)
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { issues: [{ path: ['via'], code: 'duplicate_field' }] } },
    })
  })

  it('takes a signature of Standard Webhooks; shown again, the call gets the first answer', async () => {
    const text = '{"station":  "seattle"}'
    const at = new Date()
    const headers = {
      'webhook-id': 'msg_7',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(key).sign('msg_7', at, text),
      'content-type': 'application/json',
    }
    const first = await call('/hooks/weather/signed', text, headers)
    expect(first.status).toBe(202)
    const again = await call('/hooks/weather/signed', text, headers)
    expect(again).toMatchObject({ status: 202, body: first.body })
    // Bytes, not what they mean.
    expect((await call('/hooks/weather/signed', '{"station":"seattle"}', headers)).status).toBe(401)
  })

  it('[R-73] an Idempotency-Key does the same for tokens; with another message it is a conflict', async () => {
    const keyed = { ...bearer, 'x-source': 's', 'idempotency-key': 'k1' }
    const first = await call('/hooks/weather/hook?via=x', { station: 'sf' }, keyed)
    expect(await call('/hooks/weather/hook?via=x', { station: 'sf' }, keyed)).toMatchObject({
      body: first.body,
    })
    expect((await call('/hooks/weather/hook?via=x', { station: 'seattle' }, keyed)).status).toBe(409)
  })

  it('answers everybody else alike, whatever is wrong', async () => {
    const wrong: [string, Record<string, string>][] = [
      ['/hooks/weather/hook', {}],
      ['/hooks/weather/hook', { authorization: 'Bearer wrong' }],
      // People's tokens open no hook, whatever they may do.
      ['/hooks/weather/hook', { authorization: 'Bearer root' }],
      ['/hooks/weather/hook', { cookie: 'person=root' }],
      ['/hooks/weather/signed', bearer],
      ['/hooks/weather/off', bearer],
      ['/hooks/weather/nobodys', { authorization: 'Bearer null' }],
      ['/hooks/weather/nobodys', bearer],
      ['/hooks/weather/daily', bearer],
      ['/hooks/weather/nowhere', bearer],
      ['/hooks/nowhere/hook', bearer],
      ['/hooks/constructor/hook', bearer],
    ]
    const bodies = new Set<string>()
    for (const [path, headers] of wrong) {
      const answer = await call(path, { station: 'sf' }, headers)
      expect(answer.status, path).toBe(401)
      bodies.add(JSON.stringify(answer.body))
    }
    expect(bodies.size).toBe(1)
    // Only a caller with the secret learns what is wrong with the message.
    expect((await call('/hooks/weather/hook', 'no json', { 'content-type': 'text/plain' })).status).toBe(401)
    const { body } = await call('/hooks/weather/hook', {})
    expect((body as { error: { message: string } }).error.message).toContain('Bearer <secret>')
  })

  it('a secret that is not there yet is a warning when the pipeline is stored', async () => {
    const triggers = [{ id: 'h', type: 'webhook', secret: 'secret:to_come' }]
    const definition = { id: 'early', triggers, nodes: [set('a', { v: 1 })] }
    expect((await api.call('POST', '/api/v1/pipelines', definition)).body).toMatchObject({
      issues: [{ path: ['triggers', 0, 'secret'], code: 'unknown_secret', severity: 'warning' }],
    })
  })

  it('a secret that is removed, or empty, closes the hook', async () => {
    await put('closing', {}, [
      { id: 'gone', type: 'webhook', secret: 'secret:gone', inputs: { station: 'sf' } },
    ])
    await api.ctx.secrets.put('gone', 'word', person('ada'))
    expect((await call('/hooks/closing/gone', {}, { authorization: 'Bearer word' })).status).toBe(202)
    await api.ctx.secrets.put('gone', '', person('ada'))
    expect((await call('/hooks/closing/gone', {}, { authorization: 'Bearer ' })).status).toBe(401)
    await api.ctx.secrets.remove('gone')
    expect((await call('/hooks/closing/gone', {}, { authorization: 'Bearer word' })).status).toBe(401)
  })

  it('answers a caller with the secret what is wrong with the message', async () => {
    const send = (body: unknown, headers: Record<string, string> = {}) =>
      call('/hooks/weather/hook?via=x', body, { ...bearer, 'x-source': 's', ...headers })
    expect((await send({ station: 'paris' })).status).toBe(422)
    expect(await send({})).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'invalid_inputs',
          issues: [{ path: ['inputs', 'station'], message: 'there is no body.station' }],
        },
      },
    })
    expect((await send('{')).status).toBe(400)
    expect((await send('<x/>', { 'content-type': 'application/xml' })).status).toBe(415)
    expect((await send('{"__proto__": 1}')).status).toBe(400)
    expect((await send(`{"station": "${'x'.repeat(1_000_000)}"}`)).status).toBe(413)
    expect(api.defects).toEqual([])
  })

  it('is at this address only, by POST only', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await api.call(method, '/hooks/weather/hook', undefined, bearer)
      expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'POST'])
    }
    for (const path of [
      '/hooks/',
      '/hooks/weather',
      '/hooks/weather/hook/',
      '/hooks/Weather/hook',
      '/hooks/%77eather/hook',
    ])
      expect((await call(path, {}, bearer)).status, path).toBe(404)
    expect((await call('/api/v1/hooks/weather/hook', {}, bearer)).status).toBe(401)
  })

  it('guessing costs the guesser', async () => {
    await using limited = await openApiServer({ rateLimit: 3 })
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => limited.call('POST', '/hooks/weather/hook', {}, bearer)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(5)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })
})

describe('policy.maxRunning at the door', () => {
  const waiting = { inputs: {}, nodes: [approval('gate', S)] }
  const start = (id: string) => api.call('POST', `/api/v1/pipelines/${id}/executions`, {})
  const trigger = { id: 'plain', type: 'webhook', secret: 'secret:weather_hook' }
  const limited = async (id: string, policy: object) => {
    const definition = { id, policy, triggers: [trigger], ...waiting }
    expect((await api.call('POST', '/api/v1/pipelines', definition)).status).toBe(201)
  }

  it('[R-68] queues: the run is there, pending, and explains which runs it waits for', async () => {
    await limited('queueing', { maxRunning: 1 })
    const first = idOf(await start('queueing'))
    const second = await start('queueing')
    expect(second).toMatchObject({ status: 202, body: { status: 'pending' } })
    const explained = await api.call('GET', `/api/v1/executions/${idOf(second)}/nodes/gate/explain`)
    expect(explained.body).toMatchObject({
      waiting_for: {
        kind: 'slot',
        text: `waits for a run of pipeline queueing to end (at most 1 at once); holders: ${first}`,
        names: [first],
      },
    })
    await api.call('POST', `/api/v1/executions/${first}/cancel`, {})
    await api.closed(first)
    const third = await start('queueing')
    expect(third.body).toMatchObject({ status: 'pending' })
    expect((await api.call('GET', `/api/v1/executions/${idOf(second)}`)).body).toMatchObject({
      status: 'waiting',
    })
    // One that waits can be cancelled, and then counts no more.
    expect((await api.call('POST', `/api/v1/executions/${idOf(third)}/cancel`, {})).status).toBe(200)
    expect(await api.closed(idOf(third))).toMatchObject({ status: 'cancelled', lifecycle: 'CANCELLED' })
  })

  it('refuses, or skips and remembers that it did', async () => {
    await limited('refusing', { maxRunning: 1, whenFull: 'refuse' })
    await limited('skipping', { maxRunning: 1, whenFull: 'skip' })
    await start('refusing')
    const held = idOf(await start('skipping'))
    expect(await start('refusing')).toMatchObject({
      status: 409,
      body: { error: { code: 'too_many_running' } },
    })
    const skipped = { status: 202, body: { execution_id: null, status: 'skipped' } }
    expect(await start('skipping')).toMatchObject(skipped)
    const keyed = { ...bearer, 'idempotency-key': 'once' }
    expect(await call('/hooks/skipping/plain', {}, keyed)).toMatchObject(skipped)
    await api.call('POST', `/api/v1/executions/${held}/cancel`, {})
    await api.closed(held)
    expect(await call('/hooks/skipping/plain', {}, keyed)).toMatchObject(skipped)
    expect(await call('/hooks/skipping/plain', {}, bearer)).toMatchObject({ body: { status: 'waiting' } })
  })

  it('a higher limit lets those go that wait, and none lets all', async () => {
    await limited('growing', { maxRunning: 1 })
    const ids = [idOf(await start('growing')), idOf(await start('growing')), idOf(await start('growing'))]
    const statuses = async () =>
      Promise.all(ids.map(async (id) => (await api.ctx.executions.get(id))?.status ?? 'absent'))
    expect(await statuses()).toEqual(['waiting', 'pending', 'pending'])
    const change = async (revision: number, policy: object) => {
      const started = new Promise<void>((resolve) => {
        const forget = api.ctx.feed.onCommit(({ entries }) => {
          if (!entries.some(({ event }) => event.type === 'pipeline.started')) return
          forget()
          resolve()
        })
      })
      await api.call(
        'PUT',
        '/api/v1/pipelines/growing',
        { id: 'growing', policy, ...waiting },
        { 'if-match': `${revision}` },
      )
      await started
    }
    await change(1, { maxRunning: 2 })
    expect(await statuses()).toEqual(['waiting', 'waiting', 'pending'])
    await change(2, {})
    expect(await statuses()).toEqual(['waiting', 'waiting', 'waiting'])
  })
})

describe('/schedules', () => {
  it('[G-16] lists what fires next, and switches it', async () => {
    const of = '/api/v1/schedules?pipeline=weather'
    const [row] = ((await api.call('GET', of)).body as { items: { next_at: string }[] }).items
    expect(row).toMatchObject({
      pipeline_id: 'weather',
      trigger_id: 'daily',
      cron: '0 6 * * *',
      timezone: 'UTC',
      active: true,
      last_at: null,
      last_execution_id: null,
      last_error: null,
    })
    expect(row!.next_at).toMatch(/T06:00:00\.000Z$/)
    const put = (body: unknown, trigger = 'daily') =>
      api.call('PUT', `/api/v1/schedules/weather/${trigger}`, body)
    expect((await put({ active: false })).body).toMatchObject({ active: false, next_at: null })
    expect((await put({ active: false })).body).toMatchObject({ active: false })
    expect((await put({ active: true })).body).toMatchObject({ active: true, next_at: row!.next_at })
    expect((await put({ active: 1 })).status).toBe(422)
    expect((await put({ active: true }, 'hook')).status).toBe(404)
    expect((await api.call('GET', '/api/v1/schedules?cursor=x')).status).toBe(400)
  })
})
