import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '@/core/engine/event'
import { childrenOf } from './processes'
import { restClient, type RestClient } from './rest-client'
import { startServer, type ServerProcess } from './server-process'
import { earlyEvents } from './simulation/never-early'

const S = 'event:pipeline.started'
const WORD = 'event:external.go'

let server: ServerProcess
let client: RestClient
beforeAll(async () => {
  server = await startServer()
  client = restClient(server)
}, 60_000)
afterAll(() => server.stop())

async function run(id: string, nodes: readonly object[]): Promise<string> {
  await client.define({ schemaVersion: 1, id, name: id, nodes })
  return client.start(id)
}

async function whole(id: string): Promise<Event[]> {
  await client.follow(id, ({ type }) => type === 'pipeline.closed')
  return client.events(id)
}

const early = (events: readonly Event[]) => earlyEvents(events.map((event) => ({ event, variables: [] })))
const count = (events: readonly Event[], type: string) => events.filter((event) => event.type === type).length

describe('processes that stand still for a while', () => {
  it('[R-72][R-71] a server that was suspended past every timer fires each late, none early, and once', async () => {
    const id = await run('timers', [
      { id: 'w', task: 'wait', inputBindings: { duration: '1500ms' }, startWhen: S },
      {
        id: 'f',
        task: 'fail',
        inputBindings: { message: 'no' },
        startWhen: S,
        allowFailure: true,
        retry: { maxAttempts: 2, delay: '1500ms', jitter: 0 },
      },
      {
        id: 'g',
        task: 'approval',
        startWhen: S,
        inputBindings: {
          message: 'ok?',
          approvers: ['role:approver'],
          timeout: '1500ms',
          onTimeout: 'approve',
        },
      },
      { id: 'e', task: 'noop', startWhen: WORD, startTimeout: '1500ms' },
      {
        id: 's',
        task: 'script.javascript',
        inputBindings: { code: 'for (;;) {}' },
        startWhen: S,
        timeout: '1500ms',
        allowFailure: true,
      },
    ])
    await client.follow(id, ({ type }) => type === 'f.retrying')
    process.kill(server.pid, 'SIGSTOP')
    const stoppedAt = Date.now()
    await pause(3_000)
    const resumedAt = Date.now()
    process.kill(server.pid, 'SIGCONT')
    const events = await whole(id)
    expect(early(events)).toEqual([])
    for (const type of ['w.completed', 'g.timeout', 'e.skipped', 'f.failed', 's.failed']) {
      expect(count(events, type), type).toBe(1)
      expect(Date.parse(events.find((event) => event.type === type)!.timestamp), type).toBeGreaterThanOrEqual(
        resumedAt,
      )
    }
    expect(
      events.filter(
        ({ timestamp }) => Date.parse(timestamp) > stoppedAt + 100 && Date.parse(timestamp) < resumedAt,
      ),
    ).toEqual([])
    expect((await client.execution(id)).status).toBe('completed')
  }, 60_000)

  it('[R-12][R-57] a worker that was suspended past its timeout is given up; when it goes on, nothing of it counts', async () => {
    const id = await run('worker', [
      {
        id: 's',
        task: 'script.javascript',
        inputBindings: { code: 'const end = Date.now() + 700; while (Date.now() < end); return 1' },
        startWhen: S,
        timeout: '2s',
        retry: { maxAttempts: 5, delay: '100ms', jitter: 0 },
      },
    ])
    await client.follow(id, ({ type }) => type === 's.task.started')
    const workers = childrenOf(server.pid)
    const signal = (name: NodeJS.Signals) => {
      // One that was given up is gone.
      for (const pid of workers) if (childrenOf(server.pid).includes(pid)) process.kill(pid, name)
    }
    signal('SIGSTOP')
    await client.follow(id, ({ type }) => type === 's.retrying')
    signal('SIGCONT')
    const events = await whole(id)
    expect(events.find(({ type }) => type === 's.task.failed')?.payload).toMatchObject({
      error: { kind: 'timeout' },
    })
    expect(count(events, 's.completed')).toBe(1)
    expect(count(events, 's.task.completed')).toBe(1)
    expect(early(events)).toEqual([])
    expect((await client.execution(id)).nodes['s']).toMatchObject({ status: 'completed', attempts: 2 })
  }, 60_000)
})
