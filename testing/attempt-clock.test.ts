import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from './api-server'
import { buildModule } from './build-module'
import { S } from './engine-run'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

/** A server with real child processes, two at once. */
async function serverWithTwoChildren() {
  const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url))
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'penstock-clock-'))
  folders.push(folder)
  const childEntry = await buildModule(folder)
  const at = await openApiServer({ childEntry, maxChildren: 2, allowShell: true })
  return { at, folder }
}

async function start({ call }: ApiServer, id: string, nodes: readonly object[]): Promise<string> {
  const definition = { schemaVersion: 1, id, name: id, nodes }
  expect((await call('POST', '/api/v1/pipelines', definition)).status).toBe(201)
  const { body } = await call('POST', `/api/v1/pipelines/${id}/executions`, {})
  return (body as { execution_id: string }).execution_id
}

/** Resolves with the payload of the first event of the type. */
function eventOf({ ctx }: ApiServer, executionId: string, type: string): Promise<unknown> {
  return new Promise((resolve) => {
    const forget = ctx.feed.onCommit((commit) => {
      const entry = commit.entries.find(({ event }) => event.type === type)
      if (commit.executionId !== executionId || entry === undefined) return
      forget()
      resolve(entry.event.payload)
    })
  })
}

describe('real processes', { timeout: 60_000 }, () => {
  it('[R-90] more scripts than processes take turns: none times out before it begins, and who waits says for whom', async () => {
    const { at } = await serverWithTwoChildren()
    await using server = at
    const code = 'const end = Date.now() + 900; while (Date.now() < end) {} return 1'
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({
      id,
      task: 'script.javascript',
      startWhen: S,
      timeout: '2s',
      inputBindings: { code },
    }))
    const id = await start(server, 'crowd', nodes)
    const { body } = await server.call('GET', `/api/v1/executions/${id}/nodes/f/explain`)
    expect(body).toMatchObject({
      status: 'queued',
      waiting_for: {
        kind: 'slot',
        text: `waits for a free child process: 2 of 2 are held by ${id}/a, ${id}/b`,
        names: [`${id}/a`, `${id}/b`],
      },
      scheduling: { position: 4, slots_in_use: 2 },
    })
    expect((await server.call('GET', '/api/v1/health')).body).toMatchObject({
      queue: { waiting: 4, children: { capacity: 2, in_use: 2, waiting: 4 } },
    })
    expect(await server.closed(id)).toMatchObject({ status: 'completed' })
    expect((await server.call('GET', '/api/v1/health')).body).toMatchObject({
      queue: { in_use: 0, waiting: 0, children: { in_use: 0, waiting: 0 } },
    })
    expect(server.defects).toEqual([])
  })

  it('[R-90] a second attempt waits for the end of the first, says so, and has its whole time then', async () => {
    const { at, folder } = await serverWithTwoChildren()
    await using server = at
    const script = `
      [ -e "$MARK" ] && exit 0
      touch "$MARK"
      trap '' TERM
      for turn in $(seq 30); do sleep 0.1; done`
    const id = await start(server, 'stubborn', [
      {
        id: 'a',
        task: 'shell',
        startWhen: S,
        timeout: '1s',
        retry: { maxAttempts: 2, delay: '0s', jitter: 0 },
        inputBindings: { script, env: { MARK: join(folder, 'mark') } },
      },
    ])
    await eventOf(server, id, 'a.task.failed')
    const { body } = await server.call('GET', `/api/v1/executions/${id}/nodes/a/explain`)
    expect(body).toMatchObject({
      status: 'running',
      waiting_for: {
        kind: 'worker',
        text: 'attempt 2 waits to begin: attempt 1 of the same work has not ended yet',
      },
    })
    expect(await server.closed(id)).toMatchObject({ status: 'completed', nodes: { a: { attempts: 2 } } })
  })
})
