import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@/server/store/sqlite/open'
import { startServer } from '@/testing/server-process'
import { createRestDriver } from './rest-driver'
import { ms, perSecond, quantile, type Row, type Workload } from './workload'

const CONNECTIONS = 64
const SECONDS = 5

export const w11: Workload = {
  id: 'W11',
  title: `HTTP POST → durable start → answer, ${CONNECTIONS} connections, ${SECONDS} s`,
  async run() {
    const bare = await bareHandler()
    const limit = await load({ port: bare.port, token: '' }, '/', bare.body, SECONDS)
    bare.close()
    const server = await startServer({
      env: { PENSTOCK_RATE_LIMIT: '1000000', PENSTOCK_LOG_LEVEL: 'error' },
    })
    const target = { port: Number(new URL(server.origin).port), token: server.token }
    const definition = {
      schemaVersion: 1,
      id: 'single',
      name: 'single',
      nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }],
    }
    const rest = createRestDriver(target)
    await rest.post('/pipelines', definition, 201)
    rest.close()
    const path = '/pipelines/single/executions'
    await load(target, path, {}, 1)
    const figure = await load(target, path, {}, SECONDS)
    await server.stop()
    const rows: Row[] = [
      {
        name: 'starts',
        figure: perSecond(figure.length / SECONDS, 'starts'),
        limit: perSecond(limit.length / SECONDS, 'bare commits'),
        ratio: figure.length / limit.length,
        goal: '≥ 1,500/s',
      },
    ]
    for (const share of [0.5, 0.99]) {
      const [own, bareTime] = [quantile(figure, share), quantile(limit, share)]
      rows.push({
        name: `P${share * 100}`,
        figure: ms(own),
        limit: ms(bareTime),
        ratio: own / bareTime,
        goal: share === 0.99 ? '≤ 50 ms' : '–',
      })
    }
    return rows
  },
}

/** The least that a durable answer costs: a handler that commits one row a request, in groups, and answers. */
async function bareHandler(): Promise<{ port: number; body: string; close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-bare-'))
  const db = openDatabase(join(folder, 'bare.db'))
  db.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)')
  const insert = db.prepare('INSERT INTO rows (body) VALUES (?)')
  let waiting: { body: string; answer: () => void }[] = []
  const flush = () => {
    const group = waiting
    waiting = []
    db.exec('BEGIN')
    for (const { body } of group) insert.run(body)
    db.exec('COMMIT')
    for (const { answer } of group) answer()
  }
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
    incoming.on('end', () => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({
        body,
        answer: () => response.writeHead(202, { 'content-type': 'application/json' }).end('{}'),
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    body: 'x'.repeat(1_000),
    close() {
      server.closeAllConnections()
      server.close()
      db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Milliseconds of every answer that came within the time. */
async function load(
  target: { readonly port: number; readonly token: string },
  path: string,
  body: unknown,
  seconds: number,
): Promise<number[]> {
  const rest = createRestDriver(target)
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  const connection = async () => {
    while (performance.now() < end) {
      const started = performance.now()
      await rest.post(path, body, 202)
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  rest.close()
  return times
}
