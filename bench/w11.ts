import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@/server/store/sqlite/open'
import { ms, perSecond, quantile, type Row, type Workload } from './workload'

const CONNECTIONS = 64
const SECONDS = 5
const TOKEN = 'bench-token-of-at-least-32-characters'

export const w11: Workload = {
  id: 'W11',
  title: `HTTP POST → durable start → answer, ${CONNECTIONS} connections, ${SECONDS} s`,
  async run() {
    const bare = await bareHandler()
    const limit = await load(bare.port, '/', bare.body)
    bare.close()
    await using server = await startServer()
    const definition = {
      schemaVersion: 1,
      id: 'single',
      name: 'single',
      nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }],
    }
    await post(
      new Agent({ keepAlive: true }),
      server.port,
      '/api/v1/pipelines',
      JSON.stringify(definition),
      201,
    )
    const path = '/api/v1/pipelines/single/executions'
    await load(server.port, path, '{}', 202, 1)
    const figure = await load(server.port, path, '{}', 202)
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

async function startServer() {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-w11-'))
  const port = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.mjs')], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PORT: String(port),
      PENSTOCK_DATA_DIR: dataDir,
      PENSTOCK_BOOTSTRAP_TOKEN: TOKEN,
      PENSTOCK_RATE_LIMIT: '1000000',
      PENSTOCK_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const agent = new Agent({ keepAlive: true })
  for (let tries = 0; ; tries++) {
    const ready = await send(agent, port, 'GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    )
    if (ready) break
    if (tries > 600) throw new Error('the server did not become ready')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  agent.destroy()
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Milliseconds of every answer that came within the time. */
async function load(
  port: number,
  path: string,
  body: string,
  expected = 202,
  seconds = SECONDS,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  const connection = async () => {
    while (performance.now() < end) {
      const started = performance.now()
      await post(agent, port, path, body, expected)
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  agent.destroy()
  return times
}

async function post(agent: Agent, port: number, path: string, body: string, expected: number): Promise<void> {
  const { status, text } = await send(agent, port, 'POST', path, body)
  if (status !== expected) throw new Error(`POST ${path}: ${status} ${text}`)
}

function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const outgoing = request({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
