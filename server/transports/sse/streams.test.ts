import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as fc from 'fast-check'
import { openApiServer, type ApiServer } from '@/testing/api-server'

const people = { root: ['viewer', 'operator', 'approver', 'editor', 'admin'], vic: ['viewer'] }

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({
    people: { ...people },
    egressAllow: '127.0.0.1',
    hub: { heartbeatMs: 50, recheckMs: 20, gatherMs: 5, gatherSlotsMs: 5 },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

type Message = { id: string | null; event: string | null; data: string }

/** Reads messages of a stream one by one; null when it ended. */
async function open(path: string, headers: Record<string, string> = {}) {
  const abort = new AbortController()
  const response = await fetch(`${api.base}/api/v1${path}`, {
    headers: { authorization: 'Bearer root', ...headers },
    signal: abort.signal,
  })
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let comments = 0
  let comment = ''
  return {
    status: response.status,
    headers: response.headers,
    comments: () => comments,
    /** The heartbeat that came last. */
    comment: () => comment,
    async next(): Promise<Message | null> {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end < 0) {
          const { done, value } = await reader.read()
          if (done) return null
          text += decoder.decode(value, { stream: true })
          continue
        }
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
        if (lines.every((line) => line.startsWith(':'))) {
          comments += 1
          comment = lines.at(-1) ?? ''
        }
        const data = field('data')
        if (data !== null) return { id: field('id'), event: field('event'), data }
      }
    },
    close: () => abort.abort(),
  }
}

const S = 'event:pipeline.started'
let made = 0
async function start(nodes: object[]): Promise<string> {
  const id = `s_${(made += 1)}`
  const created = await api.call('POST', '/api/v1/pipelines', { id, name: id, nodes })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  return ((await api.call('POST', `/api/v1/pipelines/${id}/executions`, {})).body as { execution_id: string })
    .execution_id
}
const chain = (length: number) =>
  Array.from({ length }, (_, n) => ({
    id: `n${n}`,
    task: 'set',
    inputBindings: { v: n },
    startWhen: n === 0 ? `${S} && event:external.go` : `event:n${n - 1}.completed`,
  }))
const go = (id: string) => api.call('POST', '/api/v1/events', { execution_id: id, event_type: 'external.go' })
const cancel = async (id: string) => {
  await api.call('POST', `/api/v1/executions/${id}/cancel`, {})
  await api.closed(id)
}

describe('the stream of an execution', () => {
  it('[R-17] sends every event of the one execution once, in order of seq, live, and ends after pipeline.closed', async () => {
    const id = await start(chain(5))
    const stream = await open(`/executions/${id}/stream`)
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(stream.headers.get('cache-control')).toBe('no-store')
    await go(id)
    const seen: Message[] = []
    for (let message = await stream.next(); message; message = await stream.next()) seen.push(message)
    const stored = await api.ctx.events.query(id, { limit: 1_000 })
    expect(seen.map((message) => JSON.parse(message.data))).toEqual(stored)
    expect(seen.map((message) => message.id)).toEqual(stored.map((event) => String(event.seq)))
    expect(seen.map((message) => message.event)).toEqual(stored.map((event) => event.type))
    expect(seen.at(-1)?.event).toBe('pipeline.closed')
  })

  it('[R-83] answers 200 and ends when resumed at the end', async () => {
    const id = await start(chain(1))
    await go(id)
    const { last_seq } = (await api.closed(id)) as { last_seq: number }
    const stream = await open(`/executions/${id}/stream`, { 'last-event-id': String(last_seq) })
    expect(stream.status).toBe(200)
    expect(await stream.next()).toBeNull()
  })

  it('refuses a Last-Event-ID that is no event of the execution', async () => {
    const id = await start(chain(1))
    for (const wrong of ['x', '-1', '1.5', '99999', '1 2', '9'.repeat(30)]) {
      const answer = await api.call('GET', `/api/v1/executions/${id}/stream`, undefined, {
        'last-event-id': wrong,
      })
      expect(answer.status, wrong).toBe(400)
    }
    await cancel(id)
  })

  it('[R-17] over random disconnects what a reader got, put together, is the log', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (takes, early) => {
          const id = await start(chain(6))
          if (early) await go(id)
          const seen: { seq: number }[] = []
          let ended = false
          for (const [round, take] of [...takes, Infinity].entries()) {
            const stream = await open(
              `/executions/${id}/stream`,
              seen.length > 0 ? { 'last-event-id': String(seen.at(-1)?.seq) } : {},
            )
            if (!early && round === 0) await go(id)
            for (let n = 0; n < take; n++) {
              const message = await stream.next()
              if (!message) {
                ended = true
                break
              }
              seen.push(JSON.parse(message.data) as { seq: number })
              expect(message.id).toBe(String(seen.at(-1)?.seq))
            }
            stream.close()
            if (ended) break
          }
          await api.closed(id)
          expect(seen).toEqual((await api.ctx.journal.read(id)).map(({ event }) => event))
        },
      ),
      { numRuns: Number(process.env['PENSTOCK_STREAMS'] ?? 15) },
    )
  })

  it('keeps a quiet stream alive by comments', async () => {
    const id = await start(chain(1))
    const stream = await open(`/executions/${id}/stream`)
    const reading = (async () => {
      for (let message = await stream.next(); message; message = await stream.next());
    })()
    await expect.poll(() => stream.comments(), { interval: 10 }).toBeGreaterThan(1)
    await cancel(id)
    await reading
  })

  it('serves a reader that does not read from the journal, and delays nobody', async () => {
    const id = await start(chain(1))
    const slow = await readNothing(`/api/v1/executions/${id}/stream`)
    const quick = await open(`/executions/${id}/stream`)
    // Eight megabytes: more than the buffers of both ends hold.
    for (let n = 0; n < 140; n++) {
      const payload = { text: 'x'.repeat(60_000) }
      await api.call('POST', '/api/v1/events', { execution_id: id, event_type: 'external.bulk', payload })
    }
    await go(id)
    let count = 0
    for (let message = await quick.next(); message; message = await quick.next()) count += 1
    const stored = (await api.ctx.events.query(id, { limit: 1_000 })).length
    expect(count).toBe(stored)
    // Only now does the slow one read: nothing was buffered for it, and still nothing is missing.
    const reads = vi.spyOn(api.ctx.journal, 'read')
    expect(await slow.idsToTheEnd()).toEqual(Array.from({ length: stored }, (_, n) => n + 1))
    // What it cannot take yet is read again, so little is read at once.
    const pages = await Promise.all(reads.mock.results.map(({ value }) => value as Promise<unknown[]>))
    reads.mockRestore()
    expect(pages.reduce((sum, page) => sum + page.length, 0)).toBeLessThan(3 * stored)
  })

  it('closes within seconds when the reader loses the role', async () => {
    api.people.set('tom', ['viewer'])
    const id = await start(chain(1))
    const stream = await open(`/executions/${id}/stream`, { authorization: 'Bearer tom' })
    expect((await stream.next())?.id).toBe('1')
    api.people.set('tom', [])
    for (let message = await stream.next(); message; message = await stream.next());
    expect(
      (await api.call('GET', `/api/v1/executions/${id}/stream`, undefined, { authorization: 'Bearer tom' }))
        .status,
    ).toBe(403)
    await cancel(id)
  })

  it('closes when the session ends', async () => {
    api.people.set('sue', ['viewer'])
    const id = await start(chain(1))
    const response = await fetch(`${api.base}/api/v1/executions/${id}/stream`, {
      headers: { cookie: 'person=sue' },
    })
    api.people.delete('sue')
    await response.text()
    await cancel(id)
  })
})

describe('the multiplexed stream', () => {
  it('carries several executions with their variable writes, and resumes each where it was', async () => {
    const [a, b] = [await start(chain(3)), await start(chain(4))]
    const seen = new Map<string, number[]>([
      [a, []],
      [b, []],
    ])
    const written: string[] = []
    const first = await open(`/stream?executions=${a},${b}`)
    await go(a)
    await go(b)
    const take = (message: Message) => {
      const { event, variables } = JSON.parse(message.data) as {
        event: { execution_id: string; seq: number }
        variables: { name: string }[]
      }
      seen.get(event.execution_id)?.push(event.seq)
      written.push(...variables.map((variable) => variable.name))
    }
    let position = ''
    for (let n = 0; n < 12; n++) {
      const message = await first.next()
      expect(message?.event).toBe('execution')
      position = message?.id ?? ''
      take(message!)
    }
    first.close()
    const ends = new Map<string, number>()
    for (const id of [a, b]) ends.set(id, ((await api.closed(id)) as { last_seq: number }).last_seq)
    const second = await open(`/stream?executions=${a},${b}`, { 'last-event-id': position })
    while ([a, b].some((id) => (seen.get(id)?.length ?? 0) < (ends.get(id) ?? 0)))
      take((await second.next())!)
    second.close()
    for (const id of [a, b])
      expect(seen.get(id)).toEqual(Array.from({ length: ends.get(id) ?? 0 }, (_, n) => n + 1))
    expect(written).toEqual(expect.arrayContaining(['n0.v', 'n1.v', 'n2.v', 'n3.v']))
  })

  it('says in its heartbeats up to when it sent everything, after what it sent', async () => {
    const [a, b] = [await start(chain(1)), await start(chain(1))]
    const last = ((await api.call('GET', `/api/v1/executions/${a}`)).body as { last_seq: number }).last_seq
    const stream = await open(`/stream?executions=${a},${b}:${last}&lists=approvals`)
    const before = Date.now()
    // Whatever comes first, everything that was sent stands before the heartbeat.
    const counts = new Map<string, number>([[b, last]])
    const reading = (async () => {
      for (let message = await stream.next(); message; message = await stream.next()) {
        if (message.event !== 'execution') continue
        const { event } = JSON.parse(message.data) as { event: { execution_id: string; seq: number } }
        counts.set(event.execution_id, event.seq)
      }
    })().catch(() => undefined)
    const standing = () => /^: (\d+) (.*)$/.exec(stream.comment())
    await expect.poll(() => standing()?.[2], { interval: 5 }).toBe(`${a}:${last},${b}:${last}`)
    expect(counts.get(a)).toBe(last)
    expect(Math.abs(Number(standing()?.[1]) - before)).toBeLessThan(60_000)
    await go(a)
    const end = ((await api.closed(a)) as { last_seq: number }).last_seq
    await expect.poll(() => standing()?.[2], { interval: 5 }).toBe(`${a}:${end},${b}:${last}`)
    expect(counts.get(a)).toBe(end)
    stream.close()
    await reading
    await cancel(b)
  })

  it('begins after the seq that the page already has', async () => {
    const id = await start(chain(1))
    const stream = await open(`/stream?executions=${id}:2`)
    await go(id)
    expect(JSON.parse((await stream.next())!.data)).toMatchObject({ event: { seq: 3 } })
    stream.close()
    await api.closed(id)
  })

  it('sends what changed in the lists, and how many gates wait', async () => {
    const stream = await open('/stream?lists=executions,approvals')
    expect(JSON.parse((await stream.next())!.data)).toEqual({
      executions: [],
      more: true,
      approvals: { pending: 0 },
    })
    const id = await start([
      {
        id: 'gate',
        task: 'approval',
        inputBindings: { message: 'ok?', approvers: ['role:admin'] },
        startWhen: S,
      },
    ])
    type Change = { executions: { execution_id: string; status: string }[]; approvals?: { pending: number } }
    const until = async (done: (change: Change) => boolean) => {
      for (;;) {
        const change = JSON.parse((await stream.next())!.data) as Change
        if (done(change)) return
      }
    }
    await until((change) => change.approvals?.pending === 1)
    await api.call('POST', `/api/v1/executions/${id}/nodes/gate/decision`, { decision: 'approved' })
    await until((change) => change.approvals?.pending === 0)
    await api.closed(id)
    // Beside work that goes on a gate changes nothing of its run's status, and is sent all the same.
    const gate = { message: 'ok?', approvers: ['role:admin'] }
    const busy = await start([
      { id: 'long', task: 'wait', inputBindings: { duration: '1h' }, startWhen: S },
      { id: 'short', task: 'wait', inputBindings: { duration: '300ms' }, startWhen: S },
      { id: 'gate', task: 'approval', inputBindings: gate, startWhen: 'event:short.completed' },
    ])
    await until((change) => change.approvals?.pending === 1)
    await cancel(busy)
    await until((change) => change.approvals?.pending === 0)
    // A vote closes nothing, and changes who can still decide.
    const two = { id: 'gate', task: 'approval', inputBindings: { ...gate, quorum: 2 }, startWhen: S }
    const voted = await start([two])
    await until((change) => change.approvals?.pending === 1)
    await api.call('POST', `/api/v1/executions/${voted}/nodes/gate/decision`, { decision: 'approved' })
    await until((change) => change.approvals?.pending === 1)
    await cancel(voted)
    await until((change) => change.approvals?.pending === 0)
    const again = await start(chain(1))
    await cancel(again)
    await until((change) =>
      change.executions.some((item) => item.execution_id === again && item.status === 'cancelled'),
    )
    stream.close()
  })

  it('sends the use of slots and violated invariants to clients that ask for them', async () => {
    // Takes a request and never answers it.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    const stream = await open('/stream?lists=slots,health')
    const slots = (in_use: number) => ({ total: 100, in_use, queued: 0 })
    expect(JSON.parse((await stream.next())!.data)).toEqual({ slots: slots(0), health: { violations: 0 } })
    const id = await start([
      { id: 'work', task: 'http.request', inputBindings: { method: 'GET', url }, startWhen: S },
    ])
    for (const in_use of [1, 0]) {
      let change: unknown = null
      while (JSON.stringify(change) !== JSON.stringify({ slots: slots(in_use) }))
        change = JSON.parse((await stream.next())!.data)
      if (in_use === 1) await cancel(id)
    }
    stream.close()
    silent.closeAllConnections()
    silent.close()
  })

  it('[N-17] says that a run was removed, a child with its parent, to who follows it and to the lists, and goes on', async () => {
    const inner = [{ id: 'a', task: 'set', inputBindings: { v: 1 }, startWhen: S }]
    await api.call('POST', '/api/v1/pipelines', { id: 'inner', name: 'inner', nodes: inner })
    const id = await start([{ id: 'child', pipeline: 'inner', startWhen: S }])
    const other = await start(chain(1))
    const { nodes } = (await api.closed(id)) as { nodes: { child: { child_execution_id: string } } }
    const child = nodes.child.child_execution_id
    await api.closed(child)
    const lastSeq = async (of: string) =>
      ((await api.call('GET', `/api/v1/executions/${of}`)).body as { last_seq: number }).last_seq
    const [mine, below] = [await lastSeq(id), await lastSeq(child)]
    const stream = await open(`/stream?executions=${id}:${mine},${child}:${below},${other}&lists=executions`)
    const received: Message[] = []
    const reading = (async () => {
      for (let message = await stream.next(); message; message = await stream.next()) received.push(message)
    })().catch(() => undefined)
    const standing = () => /^: \d+ (.*)$/.exec(stream.comment())?.[1]
    const reached = await lastSeq(other)
    await expect.poll(standing, { interval: 5 }).toBe(`${id}:${mine},${child}:${below},${other}:${reached}`)
    const before = received.length
    expect((await api.call('DELETE', `/api/v1/executions/${id}`)).status).toBe(204)
    const since = (event: string) =>
      received
        .slice(before)
        .flatMap((each) => (each.event === event ? [JSON.parse(each.data) as unknown] : []))
    await expect
      .poll(() => since('removed'), { interval: 5 })
      .toEqual([{ execution_id: id }, { execution_id: child }])
    await expect.poll(() => since('lists'), { interval: 5 }).toContainEqual({ executions: [], more: true })
    await go(other)
    const end = ((await api.closed(other)) as { last_seq: number }).last_seq
    await expect.poll(standing, { interval: 5 }).toBe(`${other}:${end}`)
    stream.close()
    await reading
  })

  it('refuses what it cannot follow', async () => {
    const id = await start(chain(1))
    const wrong: [string, number, string?][] = [
      ['', 422],
      ['?executions=', 422],
      ['?executions=nowhere', 404],
      [`?executions=${id},${id}`, 422],
      [`?executions=${id}:9999`, 400],
      ['?lists=secrets', 422],
      [`?executions=${id}&lists=executions&x=1`, 422],
      [`?executions=${Array.from({ length: 21 }, (_, n) => `e${n}`).join(',')}`, 422],
      [`?executions=${id}`, 400, 'other:1'],
      [`?executions=${id}`, 400, `${id}`],
    ]
    for (const [query, status, position] of wrong) {
      const answer = await api.call(
        'GET',
        `/api/v1/stream${query}`,
        undefined,
        position === undefined ? {} : { 'last-event-id': position },
      )
      expect(answer.status, query).toBe(status)
    }
    await cancel(id)
    expect(api.defects).toEqual([])
  })
})

describe('the log of a node', () => {
  it('sends the lines and ends with the execution', async () => {
    const id = await start([{ id: 'say', task: 'log', inputBindings: { message: 'hello' }, startWhen: S }])
    const stream = await open(`/executions/${id}/nodes/say/logs/stream`)
    const lines: string[] = []
    for (let message = await stream.next(); message; message = await stream.next())
      lines.push((JSON.parse(message.data) as { text: string }).text)
    expect(lines.join('\n')).toContain('hello')
    const found = async (query: string) => {
      const { status, body } = await api.call('GET', `/api/v1/executions/${id}/nodes/say/logs?${query}`)
      return [status, (body as { items?: { text: string }[] }).items?.map(({ text }) => text)]
    }
    expect(await found('search=HELL')).toEqual([200, ['hello']])
    expect(await found('search=farewell')).toEqual([200, []])
    expect(await found('search=hello&stream=stderr')).toEqual([200, []])
    expect(await found('stream=screen')).toEqual([422, undefined])
    expect(await found('search=')).toEqual([422, undefined])
  })
})

/** Opens a stream and reads nothing of it until asked: the system's buffers fill up. */
async function readNothing(path: string) {
  const socket: Socket = connect(api.port, '127.0.0.1')
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  socket.pause()
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\nauthorization: Bearer root\r\nconnection: close\r\n\r\n`,
  )
  return {
    async idsToTheEnd(): Promise<number[]> {
      const chunks: Buffer[] = []
      for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk)
      return [
        ...Buffer.concat(chunks)
          .toString('latin1')
          .matchAll(/^id: (\d+)$/gm),
      ].map((match) => Number(match[1]))
    },
  }
}
