import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { restClient, type RestClient } from '@/testing/rest-client'
import { startServer } from '@/testing/server-process'
import type { Ask, Report, Stream } from './w7-clients'
import { ms, type Row, type Workload } from './workload'

const HALF = 500
const STREAMS = 2 * HALF
const RATE = 50
const SECONDS = 60
const LIMIT_SECONDS = 15
const SLOW = 10
/** What lies before the slow readers: more than the buffers of both ends hold. */
const BACKLOG = { events: 300, bytes: 60_000 }
const PAYLOAD = { text: 'x'.repeat(200) }

/**
 * The production build, and its readers in another process. A time counts from the timestamp of an event, so the flush to the disk is in
 * it, until one reader has the event. The limit is the same readers of a server that only writes one prepared buffer an event
 * to the sockets of the shared stream.
 */
export const w7: Workload = {
  id: 'W7',
  title: `${STREAMS.toLocaleString('en')} SSE clients, ${HALF} on one run and ${HALF} on their own; ${RATE} events/s on the shared one for ${SECONDS} s, then all reconnect`,
  async *run() {
    const limit = await bareStreams()
    const server = await startServer({
      env: {
        PENSTOCK_RATE_LIMIT: '1000000',
        PENSTOCK_LOG_LEVEL: 'warn',
        NODE_OPTIONS: `--import=${join(process.cwd(), 'testing/collect-garbage.mjs')}`,
      },
    })
    const clients = startClients()
    try {
      const rest = restClient(server)
      await rest.define({
        schemaVersion: 1,
        id: 'waiting',
        name: 'waiting',
        nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started && event:external.go' }],
      })
      const shared = await rest.start('waiting')
      const own: string[] = []
      while (own.length < HALF)
        own.push(...(await Promise.all(Array.from({ length: 50 }, () => rest.start('waiting')))))
      const backlog = { text: 'x'.repeat(BACKLOG.bytes) }
      for (let at = 0; at < BACKLOG.events; at++) await publish(rest, shared, backlog)

      const seqs = new Map<string, number>()
      const reach = async (id: string) => seqs.set(id, (await rest.execution(id)).last_seq)
      for (const id of [shared, ...own]) await reach(id)
      const streams = (): Stream[] =>
        [...Array<string>(HALF).fill(shared), ...own].map((id) => ({
          path: pathOf(id),
          after: seqs.get(id)!,
          upTo: seqs.get(id)!,
        }))
      const before = await settledMemory(server.pid)
      await clients.ask({ kind: 'open', ...server, streams: streams() })
      const bytesEach = ((await settledMemory(server.pid)) - before) / STREAMS
      const send = () => publish(rest, shared, PAYLOAD)

      await clients.ask({ kind: 'reset' })
      const idle = processorMs(server.pid)
      await paced(SECONDS / 2, send)
      await reach(shared)
      const quick = await clients.ask({ kind: 'reach', path: pathOf(shared), seq: seqs.get(shared)! })
      const busy = processorMs(server.pid) - idle
      yield rowOf('event → client', quick, limit, '≤ 50 ms')
      const each = (busy * 1_000) / quick.received
      const least = (limit.writerMs * 1_000) / limit.received
      yield {
        name: 'processor time a message',
        figure: `${each.toFixed(1)} µs`,
        limit: `${least.toFixed(1)} µs`,
        ratio: each / least,
        goal: '–',
      }

      await clients.ask({ kind: 'slow', ...server, path: pathOf(shared), count: SLOW })
      await clients.ask({ kind: 'reset' })
      await paced(SECONDS / 2, send)
      await reach(shared)
      const beside = await clients.ask({ kind: 'reach', path: pathOf(shared), seq: seqs.get(shared)! })
      yield rowOf(`beside ${SLOW} slow readers`, beside, limit, 'the same')

      await clients.ask({ kind: 'cut' })
      await paced(1, send)
      for (const id of own) await publish(rest, id, PAYLOAD)
      for (const id of [shared, ...own]) await reach(id)
      let over = false
      // Events go on while they come back.
      const going = paced(Infinity, send, () => over)
      const { openMs } = await clients.ask({ kind: 'open', ...server, streams: streams() })
      over = true
      await going
      await reach(shared)
      const end = await clients.ask({ kind: 'reach', path: pathOf(shared), seq: seqs.get(shared)! })
      yield {
        name: 'all reconnected and caught up',
        figure: ms(openMs),
        limit: ms(limit.openMs),
        ratio: openMs / limit.openMs,
        goal: '≤ 2 s',
      }
      yield alone('gaps, duplicates', `${end.gaps}, ${end.duplicates}`, '0, 0')
      yield alone('memory a stream', `${(bytesEach / 1_024).toFixed(1)} KB`, '≤ 20 KB')
    } finally {
      clients.stop()
      await server.stop()
    }
  },
}

const pathOf = (id: string) => `/api/v1/executions/${id}/stream`

/** A figure that is compared with nothing. */
const alone = (name: string, figure: string, goal: string): Row => ({
  name,
  figure,
  limit: '–',
  ratio: null,
  goal,
})

const rowOf = (name: string, figure: Report, limit: Report, goal: string): Row => ({
  name: `${name}, ${figure.received.toLocaleString('en')}`,
  figure: `P50 ${ms(figure.p50)}, P99 ${ms(figure.p99)}, longest ${ms(figure.longest)}`,
  limit: `P50 ${ms(limit.p50)}, P99 ${ms(limit.p99)}`,
  ratio: figure.p99 / limit.p99,
  goal: `P99 ${goal}`,
})

async function publish(rest: RestClient, execution_id: string, payload: object): Promise<void> {
  const { status } = await rest.call('POST', '/events', {
    execution_id,
    event_type: 'external.bench',
    payload,
  })
  if (status >= 300) throw new Error(`POST /events: ${status}`)
}

/** Open loop: `send` is called when it is due, whether or not earlier ones were answered. */
async function paced(seconds: number, send: () => Promise<void> | void, isOver = () => false): Promise<void> {
  const answers: Promise<void>[] = []
  const began = performance.now()
  while (answers.length < seconds * RATE && !isOver()) {
    const answer = Promise.resolve(send())
    // A refusal is thrown at the end, so that whatever runs is stopped first.
    answer.catch(() => {})
    answers.push(answer)
    await pause(Math.max(0, began + (answers.length * 1_000) / RATE - performance.now()))
  }
  await Promise.all(answers)
}

/** Milliseconds of processor time that a process has used, to a hundredth of a second. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Resident bytes of the process without pages of files, once its garbage is gone and they have not grown for a second. */
async function settledMemory(pid: number): Promise<number> {
  const own = () =>
    Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
  for (let last = own(); ;) {
    process.kill(pid, 'SIGUSR2')
    await pause(1_000)
    const now = own()
    if (now <= last) return now
    last = now
  }
}

/** The least that it costs: the same readers, to whom one prepared buffer an event is written. */
async function bareStreams(): Promise<Report & { writerMs: number }> {
  const sockets = new Map<Socket, string>()
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => sockets.delete(socket)).on('close', () => sockets.delete(socket))
    socket.once('data', (head: Buffer) => {
      sockets.set(socket, head.toString('latin1').split(' ')[1]!)
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n')
    })
  }).listen({ port: 0, host: '127.0.0.1', backlog: 4_096 })
  await once(server, 'listening')
  const clients = startClients()
  try {
    const streams = Array.from({ length: STREAMS }, (_, at) => ({
      path: at < HALF ? '/shared' : `/own/${at}`,
      after: 0,
      upTo: 0,
    }))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await clients.ask({ kind: 'open', origin, token: '', streams })
    let seq = 0
    const idle = processorMs(process.pid)
    await paced(LIMIT_SECONDS, () => {
      seq += 1
      const event = { ...PAYLOAD, id: '0'.repeat(28), seq, timestamp: new Date().toISOString() }
      const prepared = Buffer.from(`id: ${seq}\nevent: external.bench\ndata: ${JSON.stringify(event)}\n\n`)
      for (const [socket, path] of sockets) if (path === '/shared') socket.write(prepared)
    })
    const writerMs = processorMs(process.pid) - idle
    return { ...(await clients.ask({ kind: 'reach', path: '/shared', seq })), writerMs }
  } finally {
    clients.stop()
    for (const socket of sockets.keys()) socket.destroy()
    server.close()
  }
}

function startClients() {
  const child = spawn(process.execPath, [process.argv[1]!, 'W7:CLIENTS'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const gone = once(child, 'exit').then(() => {
    throw new Error('the readers ended')
  })
  gone.catch(() => {})
  return {
    async ask(message: Ask): Promise<Report> {
      child.send(message)
      const [report] = (await Promise.race([once(child, 'message'), gone])) as [Report]
      return report
    },
    stop: () => child.disconnect(),
  }
}
