import { connect } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restClient, type RestClient } from './rest-client'
import { startServer, type ServerProcess } from './server-process'

const S = 'event:pipeline.started'
const healthy = { id: 'healthy', name: 'healthy', nodes: [{ id: 'a', task: 'noop', startWhen: S }] }
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Bodies that somebody once brought a server down with, or would like to. */
const DOCUMENTS: readonly string[] = [
  '',
  'null',
  '0',
  '"text"',
  '[]',
  '{',
  '{"id":"x","id":"y"}',
  '{"__proto__":{"id":"x"},"constructor":{"prototype":{"a":1}}}',
  '\u0000',
  '"\\ud800"',
  `{"id":"x","name":"x","nodes":${deep(20_000)}}`,
  JSON.stringify({ ...healthy, id: 'x'.repeat(100_000) }),
  JSON.stringify({ ...healthy, nodes: Array.from({ length: 5_000 }, () => healthy.nodes[0]) }),
  JSON.stringify({ ...healthy, nodes: [{ ...healthy.nodes[0], startWhen: '('.repeat(3_000) }] }),
  JSON.stringify({ ...healthy, nodes: [{ ...healthy.nodes[0], startWhen: `{{ ${'['.repeat(2_000)} }}` }] }),
  JSON.stringify({
    ...healthy,
    nodes: [{ ...healthy.nodes[0], startWhen: `${'!'.repeat(3_000)}event:a.b` }],
  }),
  JSON.stringify({ ...healthy, nodes: [{ ...healthy.nodes[0], task: '__proto__' }] }),
  JSON.stringify({ ...healthy, nodes: [{ ...healthy.nodes[0], timeout: '9'.repeat(40) }] }),
  JSON.stringify({ ...healthy, nodes: [{ ...healthy.nodes[0], retry: { maxAttempts: 1e308 } }] }),
  JSON.stringify({ ...healthy, inputs: { a: { type: 'string', pattern: '(a+)+$' } } }),
  '{"id":"x","nodes":[{"id":"a","priority":1e999}]}',
]
const YAMLS: readonly string[] = [
  'a: &a [*a]',
  [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]',
    'c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]',
    'd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]',
  ].join('\n'),
  '!!js/function "return 1"',
  '- '.repeat(5_000),
  '\t: [',
]
const EVENTS: readonly unknown[] = [
  null,
  [],
  {},
  { execution_id: 1, event_type: 'external.a' },
  { execution_id: 'x'.repeat(100_000), event_type: 'external.a' },
  { execution_id: '../..', event_type: 'external.a' },
  { execution_id: 'none', event_type: 'pipeline.completed' },
  { execution_id: 'none', event_type: `external.${'a'.repeat(10_000)}` },
  { execution_id: 'none', event_type: 'external.a', payload: { a: 'x'.repeat(70_000) } },
  { execution_id: 'none', event_type: 'external.a', payload: [] },
  {
    execution_id: 'none',
    event_type: 'external.__proto__',
    payload: JSON.parse('{"__proto__":{"a":1}}') as unknown,
  },
]

let server: ServerProcess
let client: RestClient
beforeAll(async () => {
  server = await startServer()
  client = restClient(server)
  await client.define({ schemaVersion: 1, ...healthy })
}, 60_000)
afterAll(() => server.stop())

/** The server is the one of before, and does its work. */
async function works(pid = server.pid): Promise<void> {
  expect(server.pid).toBe(pid)
  const id = await client.start('healthy')
  await client.follow(id, ({ type }) => type === 'pipeline.closed')
  expect((await client.execution(id)).status).toBe('completed')
}

async function send(method: string, path: string, body: string, type: string): Promise<number> {
  const response = await fetch(`${server.origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': type },
    body,
  })
  await response.text()
  return response.status
}

describe('poison', () => {
  it.each([
    ['/pipelines', 'application/json', DOCUMENTS],
    ['/pipelines/validate', 'application/json', DOCUMENTS],
    ['/pipelines/try', 'application/json', DOCUMENTS],
    ['/pipelines', 'application/yaml', YAMLS],
    ['/pipelines/healthy/executions', 'application/json', DOCUMENTS.filter((text) => text !== '')],
    ['/webhooks', 'application/json', DOCUMENTS],
    ['/events', 'application/json', [...DOCUMENTS, ...EVENTS.map((event) => JSON.stringify(event))]],
  ])('[R-83][R-61] no body of POST %s (%s) is more than refused', async (path, type, bodies) => {
    for (const body of bodies) {
      const status = await send('POST', path, body, type)
      // What is valid may be taken, what is checked may be answered; nothing may be the server's own fault.
      expect(status, body.slice(0, 80)).toBeLessThan(500)
    }
    await works()
  })

  it('[R-83][E-18] nor is the body of a hook, with or without its secret', async () => {
    const secret = 'a secret of the hook'
    const put = await client.call('PUT', '/secrets/poison', { value: secret })
    expect(put.status).toBeLessThan(300)
    await client.define({
      ...healthy,
      schemaVersion: 1,
      id: 'hooked',
      inputs: { v: { type: 'string', default: 'none' } },
      triggers: [
        {
          id: 'hook',
          type: 'webhook',
          secret: 'secret:poison',
          auth: 'bearer',
          inputs: { v: '{{ body.v }}' },
        },
      ],
    })
    for (const body of [...DOCUMENTS, ...EVENTS.map((event) => JSON.stringify(event)), '{"v":"one"}']) {
      for (const token of [secret, 'a guess']) {
        const response = await fetch(`${server.origin}/hooks/hooked/hook`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body,
        })
        await response.text()
        expect(response.status, body.slice(0, 80)).toBeLessThan(500)
        if (token !== secret) expect(response.status).toBeGreaterThanOrEqual(400)
      }
    }
    await works()
  })

  it('[R-83] nor is any random document, anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '/pipelines',
          '/pipelines/validate',
          '/pipelines/try',
          '/pipelines/healthy/executions',
          '/events',
        ),
        fc.oneof(
          fc.json({ maxDepth: 6 }),
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc
            .record({
              id: fc.constant('healthy'),
              name: fc.jsonValue(),
              nodes: fc.array(
                fc.record({
                  id: fc.string(),
                  task: fc.jsonValue(),
                  startWhen: fc.oneof(fc.string(), fc.jsonValue()),
                  inputBindings: fc.jsonValue(),
                }),
              ),
            })
            .map((value) => JSON.stringify(value)),
        ),
        async (path, body) => {
          expect(await send('POST', path, body, 'application/json')).toBeLessThan(500)
        },
      ),
      { numRuns: Number(process.env['PENSTOCK_POISON'] ?? 200) },
    )
    await works()
  }, 600_000)

  it('is no request at all: the connection ends, the server does not', async () => {
    const { port } = new URL(server.origin)
    for (const text of [
      '\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
      'POST /api/v1/events HTTP/1.1\r\ncontent-length: -1\r\n\r\n',
      '\u0016\u0003\u0001\u0002',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.end(text))
        socket.on('error', () => resolve()).on('close', () => resolve())
        socket.resume()
      })
    }
    await works()
  })
})

/** Damage that a disk, a copy or a hand may do to the rows of one run; every other run has to go on. */
const DAMAGE: Readonly<Record<string, (db: Database.Database, id: string) => void>> = {
  'a payload that is no JSON': (db, id) =>
    void db.prepare("UPDATE events SET payload = '{' WHERE execution_id = ? AND seq = 4").run(id),
  'an event that is gone': (db, id) =>
    void db.prepare('DELETE FROM events WHERE execution_id = ? AND seq = 3').run(id),
  'an event of a kind that does not exist': (db, id) =>
    void db.prepare("UPDATE events SET type = 'a.exploded' WHERE execution_id = ? AND seq = 4").run(id),
  'a payload with a field of another type': (db, id) =>
    void db
      .prepare("UPDATE events SET payload = '{\"gate\":7}' WHERE execution_id = ? AND type = 'a.started'")
      .run(id),
  'an event of a node that does not exist': (db, id) =>
    void db
      .prepare("UPDATE events SET type = 'zzz.started', entity_id = 'zzz' WHERE execution_id = ? AND seq = 4")
      .run(id),
  'a variable that is no JSON': (db, id) =>
    void db.prepare("UPDATE variables SET value = 'x' WHERE execution_id = ?").run(id),
  'labels that are no JSON': (db, id) =>
    void db.prepare("UPDATE executions SET labels = '[' WHERE execution_id = ?").run(id),
  'a revision that is not there': (db, id) =>
    void db.prepare('UPDATE executions SET revision = 99 WHERE execution_id = ?').run(id),
}

describe('damaged rows', () => {
  it('[R-4][R-77] of some runs: the server boots, lists them, and does everything else', async () => {
    const first = await startServer()
    const before = restClient(first)
    await before.define({ schemaVersion: 1, ...healthy })
    await before.define({
      schemaVersion: 1,
      id: 'parked',
      name: 'parked',
      nodes: [
        { id: 'a', task: 'set', startWhen: S, inputBindings: { v: 1 } },
        { id: 'w', task: 'wait', startWhen: S, inputBindings: { duration: '1h' } },
      ],
    })
    const parked = async () => {
      const id = await before.start('parked')
      await before.follow(id, ({ type }) => type === 'a.completed')
      return id
    }
    const sound = await parked()
    const damaged = new Map<string, string>()
    for (const kind of Object.keys(DAMAGE)) damaged.set(kind, await parked())
    process.kill(first.pid, 'SIGKILL')
    const db = new Database(join(first.dataDir, 'penstock.db'))
    for (const [kind, id] of damaged) DAMAGE[kind]!(db, id)
    db.close()
    const second = await startServer({ dataDir: first.dataDir })
    try {
      const after = restClient(second)
      const id = await after.start('healthy')
      await after.follow(id, ({ type }) => type === 'pipeline.closed')
      expect((await after.execution(id)).status).toBe('completed')
      expect((await after.execution(sound)).nodes['w']?.status).toBe('waiting')
      const { violations } = (await after.call('GET', '/health')).body as {
        violations: { execution_id: string; rule: string }[]
      }
      const apart = violations.filter(({ rule }) => rule === 'set_apart').map((one) => one.execution_id)
      // The registry is an index: what a row of it cannot say is known from the journal.
      const readable = damaged.get('labels that are no JSON')!
      expect(apart.sort()).toEqual([...damaged.values()].filter((one) => one !== readable).sort())
      expect((await after.execution(readable)).nodes['w']?.status).toBe('waiting')
      for (const one of apart) expect((await after.call('GET', `/executions/${one}`)).status).toBe(409)
      // Whatever is asked of such a run is answered: what can be read is there, and of the rest a sentence says which row it is.
      const reads = [
        'events',
        'events?superseded=true',
        'events/a.started',
        'entries',
        'variables',
        'artifacts',
      ]
      for (const [kind, one] of damaged) {
        for (const read of [...reads, 'nodes/a/logs', 'nodes/a/explain']) {
          const { status, body } = await after.call('GET', `/executions/${one}/${read}`)
          expect([200, 404, 409], `${read} of ${kind}: ${JSON.stringify(body)}`).toContain(status)
        }
      }
      const answerOf = async (kind: string, read: string) =>
        (await after.call('GET', `/executions/${damaged.get(kind)}/${read}`)).body
      const refused = (what: string) => ({
        error: { code: 'set_apart', message: expect.stringContaining(what) },
      })
      for (const read of ['events', 'entries', 'stream'])
        expect(await answerOf('a payload that is no JSON', read)).toMatchObject(
          refused('the payload of event 4 ('),
        )
      for (const read of ['variables', 'entries', 'stream'])
        expect(await answerOf('a variable that is no JSON', read)).toMatchObject(refused("the value of '"))
      for (const one of apart) {
        const decided = await after.call('POST', `/executions/${one}/nodes/w/decision`, {
          decision: 'approved',
        })
        expect(decided.status, JSON.stringify(decided.body)).toBe(409)
      }
      expect(JSON.stringify(violations)).toContain('event 4 (a.exploded) cannot follow event 3')
      expect(JSON.stringify(violations)).toMatch(
        /event \d+ \(a\.started\) cannot follow event \d+: its payload is damaged: gate: /,
      )
    } finally {
      await second.stop()
      await first.stop()
    }
  }, 60_000)
})
