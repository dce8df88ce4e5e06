import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { taskCatalog } from '@/tasks/contracts'
import { openArtifactStore } from '@/server/artifacts/open'
import { readEgressAllow } from '@/server/egress/allowance'
import { createEgress } from '@/server/egress/client'
import { checkHookProof } from '@/server/auth/hook-proof'
import type { OperationContext } from '@/server/operations/context'
import type { Caller } from '@/server/operations/rights'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import { createRunner } from '@/server/runner/runner'
import { createTrials } from '@/server/runner/trials'
import { createCipher } from '@/server/secrets/cipher'
import { createSecretStore } from '@/server/secrets/secret-store'
import type { StorageUse } from '@/server/ports/storage'
import { createMemoryDisk } from '@/server/store/memory/disk'
import { openMemoryStore } from '@/server/store/memory/open'
import { createSystemClock } from '@/server/system-clock'
import { createSystemIds } from '@/server/system-ids'
import { createApi } from '@/server/transports/api'
import { Hub, type HubOptions } from '@/server/transports/sse/hub'
import { openWebhooks } from '@/server/webhooks/webhooks'

export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers }

/**
 * The whole API over the real orchestrator and the store in memory, on a port of its own. People are known by tokens:
 * `Bearer {name}` for those in `people`; a cookie `person={name}` is a session of that person.
 */
export async function openApiServer(
  options: {
    people?: Record<string, readonly string[]>
    rateLimit?: number
    hub?: Partial<HubOptions>
    egressAllow?: string
    /** The program of child processes; absent: tasks of children are not part of the test. */
    childEntry?: URL
    allowShell?: boolean
    examples?: OperationContext['examples']
  } = {},
) {
  const people = new Map(
    Object.entries(options.people ?? { root: ['viewer', 'operator', 'approver', 'editor', 'admin'] }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'penstock-api-'))
  const disk = createMemoryDisk()
  const store = openMemoryStore(disk)
  const clock = createSystemClock()
  const ids = createSystemIds()
  const artifacts = openArtifactStore({ dataDir: folder, rows: store.artifactRows, clock, ids })
  const defects: unknown[] = []
  const egress = createEgress({ allow: readEgressAllow(options.egressAllow ?? '') })
  const disabledTasks = new Map(options.allowShell ? [] : [['shell', 'PENSTOCK_ALLOW_SHELL']])
  const runner = createRunner({
    childEntry: options.childEntry ?? pathToFileURL(join(folder, 'absent.mjs')),
    filesDir: join(folder, 'files'),
    workRoot: join(folder, 'work'),
    artifacts,
    clock,
    egress,
    disabledTasks,
    limits: { warmChildren: 0 },
  })
  const cipher = createCipher(['a key of tests, thirty-two characters'])
  const webhooks = await openWebhooks({
    rows: store.webhookRows,
    journal: store.journal,
    cipher,
    egress,
    clock,
    newId: ids.execution,
    tenantId: 'default',
    warn: (what, error) => defects.push({ what, error }),
  })
  const storage: { use: StorageUse } = {
    use: { databaseBytes: 0, walBytes: 0, budgetBytes: null, diskFreeBytes: null, level: 'ok' },
  }
  const gauge = { use: async () => storage.use }
  const { engine, runs, feed } = createOrchestrator(
    {
      ...store,
      artifacts,
      runner,
      clock,
      ids,
      tasks: taskCatalog,
      outbox: webhooks,
      storage: gauge,
      warn: (what, error) => defects.push({ what, error }),
      fatal: (error) => defects.push(error),
    },
    { maxConcurrentTasks: 100 },
  )
  const ctx: OperationContext = {
    ...store,
    engine,
    runs,
    feed,
    artifacts,
    secrets: createSecretStore({ rows: store.secretRows, cipher, clock, tenantId: 'default' }),
    storage: gauge,
    nodeVersion: process.version,
    webhooks,
    checkHookProof,
    trials: createTrials({ runner, artifacts, clock, ids }),
    clock,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    tasks: taskCatalog,
    disabledTasks,
    examples: options.examples ?? [],
    maxNodes: 500,
  }
  await engine.recover()
  const door = {
    callerOf: async ({
      headers,
    }: {
      headers: { authorization?: string | undefined; cookie?: string | undefined }
    }): Promise<Caller | null> => {
      const token = headers.authorization
      const name =
        token === undefined
          ? /^person=(\w+)$/.exec(headers.cookie ?? '')?.[1]
          : /^Bearer (\w+)$/.exec(token)?.[1]
      const roles = name === undefined ? undefined : people.get(name)
      return name === undefined || roles === undefined
        ? null
        : { name, roles, via: token === undefined ? 'session' : 'token' }
    },
    hostNames: new Set<string>(),
    origins: new Set<string>(),
  }
  const hub = new Hub({
    ctx,
    callerOf: door.callerOf,
    onDefect: (error) => defects.push(error),
    ...options.hub,
  })
  const api = createApi({
    ctx,
    door,
    hub,
    rateLimit: options.rateLimit ?? 100_000,
    signOut: async () => {},
    isReady: async () => engine.ready(),
    onDefect: (error) => defects.push(error),
  })
  const server = createServer((request, response) => {
    void api(request, response).then((answered) =>
      answered ? undefined : response.writeHead(404).end('pages'),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  const base = `http://127.0.0.1:${port}`

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: 'Bearer root',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    let parsed: unknown = text
    try {
      parsed = text === '' ? null : JSON.parse(text)
    } catch {
      // not JSON: the text is the answer
    }
    return { status: response.status, body: parsed, headers: response.headers }
  }

  /** Resolves when the execution is closed, with what GET says of it. */
  async function closed(executionId: string): Promise<Record<string, unknown>> {
    const over = new Promise<void>((resolve) => {
      const forget = feed.onCommit((commit) => {
        if (commit.executionId !== executionId || commit.row?.closedAt == null) return
        forget()
        resolve()
      })
    })
    if ((await store.executions.get(executionId))?.closedAt == null) await over
    return (await call('GET', `/api/v1/executions/${executionId}`)).body as Record<string, unknown>
  }

  return {
    base,
    folder,
    port,
    ctx,
    hub,
    artifacts,
    /** What the API is told of the storage; a test may change it. */
    storage,
    disk,
    artifactRows: store.artifactRows,
    defects,
    people,
    call,
    closed,
    async [Symbol.asyncDispose]() {
      hub.end()
      server.close()
      server.closeAllConnections()
      await engine.stop()
      await webhooks.stop()
      await egress.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type ApiServer = Awaited<ReturnType<typeof openApiServer>>
