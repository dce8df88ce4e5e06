import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'

const started = 'event:pipeline.started'
const event = { 'content-type': 'application/json', accept: 'text/event-stream' }

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({ hub: { maxStreams: 2 } })
  const define = async (definition: object) =>
    expect((await api.call('POST', '/api/v1/pipelines', definition)).status).toBe(201)
  await define({
    id: 'quick',
    inputs: { v: { type: 'number', default: 7 } },
    outputs: { y: { value: '{{ a.v }}', required: true } },
    nodes: [{ id: 'a', task: 'set', inputBindings: { v: '{{ pipeline.input.v }}' }, startWhen: started }],
  })
  await define({
    id: 'fails',
    nodes: [{ id: 'a', task: 'fail', inputBindings: { message: 'no' }, startWhen: started }],
  })
  await define({
    id: 'waits',
    policy: { maxRunning: 1, whenFull: 'skip' },
    nodes: [{ id: 'a', task: 'noop', startWhen: `${started} && event:external.go` }],
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const start = (pipeline: string, query = '', body: object = {}, headers: Record<string, string> = {}) =>
  api.call('POST', `/api/v1/pipelines/${pipeline}/executions${query}`, body, headers)
const go = (execution_id: string) =>
  api.call('POST', '/api/v1/events', { execution_id, event_type: 'external.go' })
const idOf = ({ body }: { body: unknown }) => (body as { execution_id: string }).execution_id
const seqsOf = ({ body }: { body: unknown }) =>
  [...String(body).matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
const countTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

/** Resolves with the id of the next execution that begins to wait. */
const nextWaiting = () =>
  new Promise<string>((resolve) => {
    const forget = api.ctx.orchestrator.onCommit(({ executionId, row }) => {
      if (row?.status !== 'waiting') return
      forget()
      resolve(executionId)
    })
  })

describe('[R-93] a start that waits', () => {
  it('answers 200 with the whole execution once it has ended, however it ended', async () => {
    const answer = await start('quick', '?wait=30s', { inputs: { v: 3 } })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ pipeline_id: 'quick', status: 'completed', outputs: { y: 3 } })
    expect(answer.headers.get('location')).toBe(`/api/v1/executions/${idOf(answer)}`)
    const failed = await start('fails', '?wait=PT30S')
    expect(failed).toMatchObject({
      status: 200,
      body: { status: 'failed', nodes: { a: { status: 'failed' } } },
    })
    expect(api.hub.endings.size).toBe(0)
  })

  it('answers 202 as without it when the time is over, and the execution goes on', async () => {
    const answer = await start('waits', '?wait=20ms')
    expect(answer.status).toBe(202)
    expect(['pending', 'running', 'waiting']).toContain((answer.body as { status: string }).status)
    expect(await start('waits', '?wait=30s')).toMatchObject({
      status: 202,
      body: { execution_id: null, status: 'skipped' },
    })
    await go(idOf(answer))
    expect(await api.closed(idOf(answer))).toMatchObject({ status: 'completed' })
    expect(api.hub.endings.size).toBe(0)
  })

  it('ends by the commit: the answer comes with the event that lets the execution end', async () => {
    const waiting = nextWaiting()
    const answer = start('waits', '?wait=60s')
    await go(await waiting)
    expect(await answer).toMatchObject({ status: 200, body: { status: 'completed' } })
  })

  it('changes nothing when the caller goes away, and leaves no listener', async () => {
    const waiting = nextWaiting()
    const gone = new AbortController()
    const answer = fetch(`${api.base}/api/v1/pipelines/waits/executions?wait=60s`, {
      method: 'POST',
      headers: { authorization: 'Bearer root' },
      signal: gone.signal,
    })
    const id = await waiting
    await expect.poll(() => api.hub.endings.size).toBe(1)
    gone.abort()
    await expect(answer).rejects.toThrow()
    await expect.poll(() => api.hub.endings.size).toBe(0)
    await go(id)
    expect(await api.closed(id)).toMatchObject({ status: 'completed' })
    expect(api.defects).toEqual([])
  })

  it('takes a duration of at most 60s, in the query only', async () => {
    for (const wait of ['61s', '2m', 'soon', '-1s', '30'])
      expect((await start('quick', `?wait=${wait}`)).status, wait).toBe(422)
    expect((await start('quick', '', { wait: '1s' })).status).toBe(422)
    expect((await start('quick', '?wait=1s', { inputs: { v: 'x' } })).status).toBe(422)
    expect((await start('nowhere', '?wait=1s')).status).toBe(404)
  })

  it('waits for the execution that the same key started first', async () => {
    const key = { 'idempotency-key': 'once' }
    const first = await start('quick', '', {}, key)
    expect(first.status).toBe(202)
    const again = await start('quick', '?wait=30s', {}, key)
    expect(again).toMatchObject({ status: 200, body: { execution_id: idOf(first), status: 'completed' } })
    expect((await start('quick', '?wait=30s', { inputs: { v: 1 } }, key)).status).toBe(409)
  })
})

describe('[R-93] a start that streams', () => {
  it('answers the events of the execution from seq 1 to the close', async () => {
    const answer = await start('quick', '', {}, event)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const id = answer.headers.get('location')?.split('/').at(-1) ?? ''
    const view = await api.closed(id)
    expect(seqsOf(answer)).toEqual(countTo(view['last_seq'] as number))
    expect(String(answer.body)).toContain('event: pipeline.closed')
  })

  it('streams the execution of the same key again from seq 1', async () => {
    const key = { ...event, 'idempotency-key': 'stream' }
    const first = await start('quick', '?wait=1s', {}, key)
    const again = await start('quick', '', {}, key)
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(seqsOf(again)).toEqual(seqsOf(first))
  })

  it('refuses before anything is started: what does not fit, and one stream too many', async () => {
    expect((await start('quick', '', { inputs: { v: 'x' } }, event)).status).toBe(422)
    const streams = [new AbortController(), new AbortController()]
    for (const { signal } of streams)
      await fetch(`${api.base}/api/v1/stream?lists=health`, {
        headers: { authorization: 'Bearer root' },
        signal,
      })
    const executions = async () => (await api.call('GET', '/api/v1/executions?limit=250')).body
    const before = await executions()
    expect((await start('quick', '', {}, event)).status).toBe(503)
    expect(await executions()).toEqual(before)
    for (const stream of streams) stream.abort()
  })
})
