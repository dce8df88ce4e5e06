import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { taskCatalog } from '@/tasks/contracts'
import { openArtifactStore } from '@/server/artifacts/open'
import { createAuthentication } from '@/server/auth/authentication'
import { checkHookProof } from '@/server/auth/hook-proof'
import { readOrMakeSecretKey } from '@/server/auth/secret-key'
import { createEgress } from '@/server/egress/client'
import type { Logger } from '@/server/observe/log'
import { createStorageGauge } from '@/server/observe/storage-gauge'
import type { OperationContext } from '@/server/operations/context'
import { roles } from '@/server/operations/rights'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import { createRunner } from '@/server/runner/runner'
import { createTrials } from '@/server/runner/trials'
import { createCipher } from '@/server/secrets/cipher'
import { createSecretStore } from '@/server/secrets/secret-store'
import { openStore } from '@/server/store/open'
import { createApi } from '@/server/transports/api'
import type { Door } from '@/server/transports/door'
import { createPages } from '@/server/transports/pages/pages'
import { Hub } from '@/server/transports/sse/hub'
import { openWebhooks } from '@/server/webhooks/webhooks'
import { loadExamples, readExamples } from './first-boot'
import type { Settings } from './settings'
import { createSystemClock } from './system-clock'
import { createSystemIds } from './system-ids'

export type ServeOptions = {
  readonly settings: Settings
  readonly log: Logger
  /** Where examples, migrations and the built pages are. */
  readonly projectDir: string
  /** The program of child processes. */
  readonly runnerEntry: URL
  /** Makes the renderer of pages once the server listens; null: this server has none. */
  readonly preparePages: ((server: Server) => Promise<Render>) | null
  readonly development: boolean
  /** The journal cannot be written any more: the process has to end. */
  readonly fatal: (error: unknown) => void
}

export type Render = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type RunningServer = {
  /** Where it listens. */
  readonly url: URL
  /** Opens the sign-in page; its token is good once, for an hour. */
  readonly signInUrl: URL
  /** Takes nothing new, ends streams and work, closes the store. */
  stop(): Promise<void>
}

const tenantId = 'default'

/** How long commits may go into a file that somebody removed: the system lets a process write on. */
const inPlaceMs = 1_000

const DAY_MS = 24 * 60 * 60_000

/** A probe writes to the disk: answers of the last second are given again. */
const probeMs = 1_000

/**
 * Opens the store (lock, migrations), loads the examples at the first boot, takes up what is unfinished, and listens. Pages follow when
 * they are prepared; the API does not wait for them. Whatever was opened is closed again when a step fails.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { settings, log, projectDir } = options
  const clock = createSystemClock()
  const onDefect = (error: unknown) => log.error({ err: error }, 'a request failed by a defect')
  const warn = (message: string, error: unknown) => log.warn({ err: error }, message)
  const closers: (() => Promise<void>)[] = []
  const closeAll = async () => {
    for (const close of closers.toReversed())
      await close().catch((error: unknown) => warn('closing failed', error))
  }
  try {
    const store = await openStore({
      dataDir: settings.dataDir,
      tenantId,
      migrationsDir: join(projectDir, 'prisma/migrations'),
      ...(settings.databaseUrl === null ? {} : { databaseUrl: settings.databaseUrl }),
    })
    closers.push(() => store.close())
    const watch = setInterval(() => {
      if (store.inPlace()) return
      options.fatal(
        new Error(
          'The database was moved or removed while the server ran: what is written now would be lost.',
        ),
      )
    }, inPlaceMs)
    watch.unref()
    closers.push(async () => clearInterval(watch))
    const ids = createSystemIds()
    const secretKey = settings.secretKey ?? readOrMakeSecretKey(settings.dataDir)
    const cipher = createCipher([secretKey])
    const secrets = createSecretStore({ rows: store.secretRows, cipher, clock, tenantId })
    const filesDir = join(settings.dataDir, 'files')
    const artifacts = openArtifactStore({ dataDir: settings.dataDir, rows: store.artifactRows, clock, ids })
    const egress = createEgress({ allow: settings.egressAllow })
    closers.push(() => egress.close())
    const disabledTasks = new Map(settings.allowShell ? [] : [['shell', 'PENSTOCK_ALLOW_SHELL']])
    const runner = createRunner({
      childEntry: options.runnerEntry,
      filesDir,
      workRoot: join(settings.dataDir, 'work'),
      artifacts,
      clock,
      egress,
      disabledTasks,
      log: (message) => log.warn(message),
    })
    const webhooks = await openWebhooks({
      rows: store.webhookRows,
      journal: store.journal,
      cipher,
      egress,
      clock,
      newId: ids.execution,
      tenantId,
      warn,
    })
    closers.push(() => webhooks.stop())
    const storage = createStorageGauge({
      size: store.size,
      dataDir: settings.dataDir,
      maxDatabaseMb: settings.maxDatabaseMb,
      now: clock.now,
      warn: (message) => log.warn(message),
    })
    const { engine, runs, feed } = createOrchestrator(
      {
        ...store,
        artifacts,
        runner,
        clock,
        ids,
        tasks: taskCatalog,
        outbox: webhooks,
        storage,
        warn,
        fatal: options.fatal,
      },
      { maxConcurrentTasks: settings.maxConcurrentTasks, keptMs: settings.retentionDays * DAY_MS },
    )
    closers.push(() => engine.stop())
    const ctx: OperationContext = {
      ...store,
      engine,
      runs,
      feed,
      artifacts,
      secrets,
      storage,
      nodeVersion: process.version,
      webhooks,
      checkHookProof,
      trials: createTrials({ runner, artifacts, clock, ids }),
      clock,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      tasks: taskCatalog,
      disabledTasks,
      examples: readExamples(projectDir, warn),
      maxNodes: settings.maxNodes,
    }
    await loadExamples({
      ctx,
      caller: { name: 'examples', roles, via: 'token' },
      projectDir,
      dataDir: settings.dataDir,
      filesDir,
      warn,
    })
    await engine.recover()

    const authentication = createAuthentication({
      database: store.signInDatabase,
      secret: secretKey,
      publicUrl: settings.publicUrl ?? new URL(`http://${hostForPeople(settings.host)}:${settings.port}`),
      bootstrapToken: settings.bootstrapToken,
      allRoles: roles,
      log: (level, message) => log[level](message),
    })
    const door: Door = {
      callerOf: (request) => authentication.personOf(request.headers),
      hostNames: new Set([
        settings.host.toLowerCase(),
        ...(settings.publicUrl ? [settings.publicUrl.hostname.toLowerCase()] : []),
      ]),
      origins: new Set(settings.publicUrl ? [settings.publicUrl.origin] : []),
    }
    const hub = new Hub({ ctx, callerOf: door.callerOf, onDefect })
    const api = createApi({
      ctx,
      door,
      hub,
      rateLimit: settings.rateLimit,
      signOut: async (request, response) => {
        response.setHeader('set-cookie', [...(await authentication.signOut(request.headers))])
      },
      isReady: atMostEvery(probeMs, clock.now, async () => {
        if (!engine.ready()) return false
        await store.readiness()
        return true
      }),
      onDefect,
    })
    let render: Render | null = null
    const pages = createPages({
      door,
      now: clock.now,
      development: options.development,
      secure: settings.publicUrl?.protocol === 'https:',
      render: () => render,
      redeem: authentication.redeem,
      onDefect,
    })

    const server = createServer((request, response) => {
      api(request, response)
        .then((answered) => (answered ? undefined : pages(request, response)))
        .catch(onDefect)
    })
    server.keepAliveTimeout = 65_000
    server.requestTimeout = 60_000
    closers.push(async () => {
      hub.end()
      await stopListening(server)
    })
    server.listen(settings.port, settings.host)
    await once(server, 'listening')
    options.preparePages?.(server).then(
      (prepared) => (render = prepared),
      (error: unknown) => log.error({ err: error }, 'the pages could not be prepared; the API goes on'),
    )

    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : settings.port
    const url = new URL(`http://${hostForPeople(settings.host)}:${port}`)
    const signInUrl = new URL('/sign-in', settings.publicUrl ?? url)
    signInUrl.searchParams.set('token', await authentication.issueSignInToken())
    return {
      url,
      signInUrl,
      stop: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Lets answers under way finish for a second, then closes what is left. */
async function stopListening(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const patience = setTimeout(() => server.closeAllConnections(), 1_000)
  await closed
  clearTimeout(patience)
}

function hostForPeople(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIP(host) === 6 ? `[${host}]` : host
}

/** Runs `ask` at most once in `ms`; callers in between share its answer. */
function atMostEvery<T>(ms: number, now: () => number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | null = null
  return () => {
    if (last === null || now() - last.at >= ms) last = { at: now(), answer: ask() }
    return last.answer
  }
}
