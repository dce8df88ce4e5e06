import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restClient, type RestClient } from './rest-client'
import { startServer, type ServerProcess } from './server-process'

/** Requests a second that one token may make, and how many times as many are made; `PENSTOCK_OVERLOAD_MS` says for how long. */
const ALLOWED = 40
const TIMES = 5
const LONG_MS = Number(process.env['PENSTOCK_OVERLOAD_MS'] ?? 2_000)
const SLOTS = 2
/** Far above what a backlog of small runs takes, far below what a leak would. */
const MOST_GROWTH_BYTES = 200 * 1024 * 1024

let server: ServerProcess
let client: RestClient
beforeAll(async () => {
  server = await startServer({
    env: { PENSTOCK_RATE_LIMIT: String(ALLOWED), PENSTOCK_MAX_CONCURRENT_TASKS: String(SLOTS) },
  })
  client = restClient(server)
}, 60_000)
afterAll(() => server.stop())

/** Resident memory in bytes. */
function memory(): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

/** A call that is repeated after `retry-after`, as a good client does. */
async function patient<T>(ask: () => Promise<{ status: number; body: T }>): Promise<T> {
  for (;;) {
    // A refusal closes the connection: a caller about to use it again gets no answer, and asks again.
    const answer = await ask().catch(() => null)
    if (answer !== null && answer.status < 300) return answer.body
    if (answer !== null && answer.status !== 429) throw new Error(JSON.stringify(answer.body))
    await pause(1_000)
  }
}

const script = (id: string) => ({
  schemaVersion: 1,
  id,
  name: id,
  nodes: [
    {
      id: 's',
      task: 'script.javascript',
      startWhen: 'event:pipeline.started',
      inputBindings: { code: 'return 1' },
    },
  ],
})

describe('more than it can take', () => {
  it(
    `[H-5] ${TIMES} times the load: refused calls say when to retry, accepted work is done, nobody starves`,
    async () => {
      await client.define(script('flood'))
      await client.define(script('other'))
      const before = memory()
      const answers = new Map<number, number>()
      const taken: string[] = []
      let waits: string | null = null
      let peak = before
      const began = performance.now()
      const asked: Promise<void>[] = []
      const start = async () => {
        const response = await fetch(`${server.origin}/api/v1/pipelines/flood/executions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
          body: '{}',
        })
        answers.set(response.status, (answers.get(response.status) ?? 0) + 1)
        const body = (await response.json()) as { execution_id: string }
        if (response.status === 202) taken.push(body.execution_id)
        else waits ??= response.headers.get('retry-after')
      }
      let other: Promise<{ execution_id: string }> | undefined
      // On a machine that is slow itself it takes longer until something is too much.
      for (let elapsed = 0; elapsed < LONG_MS || !answers.has(429); elapsed = performance.now() - began) {
        while (asked.length < (elapsed / 1_000) * ALLOWED * TIMES) asked.push(start())
        peak = Math.max(peak, memory())
        if (elapsed > LONG_MS / 2)
          other ??= patient(
            async () =>
              (await client.call('POST', '/pipelines/other/executions', {})) as {
                status: number
                body: { execution_id: string }
              },
          )
        await pause(20)
      }
      await Promise.all(asked)

      expect([...answers.keys()].sort()).toEqual([202, 429])
      // What a token may do at once, and what it may do a second.
      const seconds = Math.ceil((performance.now() - began) / 1_000)
      expect(answers.get(202)!).toBeLessThanOrEqual(ALLOWED * (1 + seconds))
      expect(Number(waits)).toBeGreaterThanOrEqual(1)
      const { execution_id } = await other!
      type View = {
        readonly status: string
        readonly created_at: string
        readonly finished_at: string | null
        readonly nodes: { readonly s: { readonly started_at: string } }
      }
      const ended = async (id: string) => {
        for (;;) {
          const view = await patient(
            async () =>
              (await client.call('GET', `/executions/${id}`)) as {
                status: number
                body: View
              },
          )
          peak = Math.max(peak, memory())
          if (view.finished_at !== null) return view
          await pause(200)
        }
      }
      const mine = await ended(execution_id)
      expect(mine.status).toBe('completed')
      for (const id of taken) {
        const one = await ended(id)
        expect(one.status).toBe('completed')
        // Who came in the middle of a flood does not wait for those that came later.
        if (one.created_at > mine.created_at)
          expect(one.nodes.s.started_at >= mine.nodes.s.started_at).toBe(true)
      }
      expect(peak - before).toBeLessThan(MOST_GROWTH_BYTES)
    },
    120_000 + 20 * LONG_MS,
  )
})
