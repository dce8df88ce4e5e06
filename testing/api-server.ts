import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClosers } from '@/server/closers'
import { compose, composeApi } from '@/server/composition'
import { readEgressAllow } from '@/server/egress/allowance'
import type { OperationContext } from '@/server/operations/context'
import type { StorageUse } from '@/server/ports/storage'
import { createMemoryDisk } from '@/server/store/memory/disk'
import { openMemoryStore } from '@/server/store/memory/open'
import { createSystemClock } from '@/server/system-clock'
import type { Door } from '@/server/transports/door'
import type { HubOptions } from '@/server/transports/sse/hub'
import { checkedCall, checkedFetch } from './checked-call'
import { person } from './person'

const EMPTY_DISK: StorageUse = {
  databaseBytes: 0,
  walBytes: 0,
  budgetBytes: null,
  diskFreeBytes: null,
  diskSizeBytes: null,
  level: 'ok',
}

type ApiServerOptions = {
  people?: Record<string, readonly string[]>
  rateLimit?: number
  hub?: Partial<HubOptions>
  egressAllow?: string
  /** The program of child processes; absent: tasks of children are not part of the test. */
  childEntry?: URL
  allowShell?: boolean
  /** Child processes at once; absent: as many as the machine may have. */
  maxChildren?: number
  examples?: OperationContext['examples']
  /** Share of traces that is exported; absent: nothing is traced. */
  traceShare?: number
  traceLink?: string
  metricsDoor?: Partial<Parameters<typeof composeApi>[0]['metricsDoor']>
}

/**
 * The whole API over the real orchestrator and the store in memory, on a port of its own. People are known by tokens:
 * `Bearer {name}` for those in `people`; a cookie `person={name}` is a session of that person.
 */
export async function openApiServer(options: ApiServerOptions = {}) {
  const people = new Map(
    Object.entries(options.people ?? { root: ['viewer', 'operator', 'approver', 'editor', 'admin'] }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'penstock-api-'))
  const disk = createMemoryDisk()
  const store = openMemoryStore(disk)
  const defects: unknown[] = []
  const onDefect = (error: unknown) => void defects.push(error)
  const closers = createClosers((what, error) => defects.push({ what, error }))
  closers.add(() => rmSync(folder, { recursive: true, force: true }))
  closers.add(() => store.close())
  const storage: { use: StorageUse } = { use: EMPTY_DISK }
  const { ctx, engine, artifacts, metrics } = await compose(
    {
      store,
      storage: { use: async () => storage.use },
      people: { list: async () => [...people].map(([name, roles]) => person(name, roles)) },
      clock: createSystemClock(),
      dataDir: folder,
      childEntry: options.childEntry ?? pathToFileURL(join(folder, 'absent.mjs')),
      runnerLimits: {
        warmChildren: 0,
        ...(options.maxChildren === undefined ? {} : { maxChildren: options.maxChildren }),
      },
      orchestratorSettings: { maxConcurrentTasks: 100, traceShare: options.traceShare },
      secretKey: 'a key of tests, thirty-two characters',
      egressAllow: readEgressAllow(options.egressAllow ?? ''),
      allowShell: options.allowShell ?? false,
      examples: options.examples ?? [],
      maxNodes: 500,
      traceLink: options.traceLink ?? null,
      warn: (what, error) => defects.push({ what, error }),
      fatal: onDefect,
    },
    closers,
  )
  await engine.recover()
  const { hub, api } = composeApi({
    ctx,
    door: doorOf(people),
    rateLimit: options.rateLimit ?? 100_000,
    signOut: async () => {},
    isReady: async () => engine.ready(),
    metrics,
    metricsDoor: { token: null, behindProxy: false, ownPort: false, ...options.metricsDoor },
    onDefect,
    ...(options.hub === undefined ? {} : { hub: options.hub }),
  })
  const server = createServer((request, response) => {
    void api(request, response).then((answered) =>
      answered ? undefined : response.writeHead(404).end('pages'),
    )
  })
  closers.add(() => {
    hub.end()
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  const base = `http://127.0.0.1:${port}`

  const call = checkedCall(base, { authorization: 'Bearer root' })

  /** Resolves when the execution is closed, with what GET says of it. */
  async function closed(executionId: string): Promise<Record<string, unknown>> {
    const over = new Promise<void>((resolve) => {
      const forget = ctx.feed.onCommit((commit) => {
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
    metrics,
    artifacts,
    /** What the API sees of the storage; a test may change it. */
    storage,
    disk,
    artifactRows: store.artifactRows,
    objectives: store.objectives,
    defects,
    people,
    call,
    checkedFetch,
    closed,
    [Symbol.asyncDispose]: closers.closeAll,
  }
}

/** People by tokens and by cookies, as `openApiServer` says. */
function doorOf(people: ReadonlyMap<string, readonly string[]>): Door {
  return {
    async callerOf({ headers: { authorization: token, cookie } }) {
      const name =
        token === undefined ? /^person=(\w+)$/.exec(cookie ?? '')?.[1] : /^Bearer (\w+)$/.exec(token)?.[1]
      const roles = name === undefined ? undefined : people.get(name)
      return name === undefined || roles === undefined
        ? null
        : { ...person(name, roles), via: token === undefined ? 'session' : 'token' }
    },
    hostNames: new Set(),
    origins: new Set(),
  }
}

export type ApiServer = Awaited<ReturnType<typeof openApiServer>>
