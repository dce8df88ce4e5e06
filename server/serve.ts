import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { systemPrincipal } from '@/core/engine/principal'
import { createAuthentication, type Authentication } from '@/server/auth/authentication'
import { readOrMakeSecretKey } from '@/server/auth/secret-key'
import { addProcessMetrics } from '@/server/observe/gauges'
import type { Log } from '@/server/observe/log'
import { measureRequest } from '@/server/observe/measured'
import { logCommit } from '@/server/observe/run-log'
import { createStorageGauge } from '@/server/observe/storage-gauge'
import { createSpanExport } from '@/server/observe/traces/exporter'
import { createTracing } from '@/server/observe/traces/tracing'
import type { OperationContext } from '@/server/operations/context'
import { roles } from '@/server/operations/rights'
import type { Clock } from '@/server/ports/clock'
import { openStore, type SqliteStore } from '@/server/store/open'
import { targetOf } from '@/server/transports/api'
import { mayUpgrade, type Door } from '@/server/transports/door'
import { createHttpServer, refuse, type Upgrade } from '@/server/transports/http-server'
import type { AnswerMetrics } from '@/server/transports/metrics-door'
import { createPages } from '@/server/transports/pages/pages'
import { sendJson } from '@/server/transports/respond'
import { createClosers, type Closers } from './closers'
import { compose, composeApi, TENANT } from './composition'
import { loadExamples, readExamples } from './first-boot'
import type { Settings } from './settings'
import { createSystemClock } from './system-clock'

export type ServeOptions = {
  readonly settings: Settings
  readonly log: Log
  /** Where examples, migrations and the built pages are. */
  readonly projectDir: string
  /** The program of child processes. */
  readonly runnerEntry: URL
  /** The program of the thread that checks large definitions. */
  readonly checkerEntry: URL
  /** Makes the pages once the server listens; null: this server has none. */
  readonly preparePages: (() => Promise<Pages>) | null
  readonly development: boolean
  /** The journal cannot be written any more: the process has to end. */
  readonly fatal: (error: unknown) => void
}

/** What draws pages. It gets requests, never the server. */
export type Pages = {
  readonly render: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The channel by which a page in development learns of changes. */
  readonly upgrade: Upgrade
}

export type RunningServer = {
  /** Where it listens. */
  readonly url: URL
  /** Opens the sign-in page; its token is good once, for an hour. */
  readonly signInUrl: URL
  /** Takes nothing new, ends streams and work, closes the store. */
  stop(): Promise<void>
}

/** How long commits may go into a file that somebody removed: the system lets a process write on. */
const FILE_CHECK_MS = 1_000

const DAY_MS = 24 * 60 * 60_000

/** A probe writes to the disk: answers of the last second are given again. */
const probeMs = 1_000

/**
 * Opens the store (lock, migrations), loads the examples at the first boot, takes up what is unfinished, and listens. Pages follow when
 * they are prepared; the API does not wait for them. Whatever was opened is closed again when a step fails.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const closers = createClosers(options.log.warn)
  try {
    return await open(options, closers)
  } catch (error) {
    await closers.closeAll()
    throw error
  }
}

/** The store and the engine over it, at work. */
async function openEngine(
  options: ServeOptions,
  closers: Closers,
  clock: ReturnType<typeof createSystemClock>,
) {
  const { settings, log, projectDir } = options
  const { dataDir } = settings
  const { warn } = log
  const store = await openWatchedStore(options, closers)
  const secretKey = settings.secretKey ?? readOrMakeSecretKey(dataDir)
  const examples = readExamples(projectDir, warn)
  const { maxDatabaseMb, maxConcurrentTasks, maxChildren, retentionDays } = settings
  const { egressAllow, allowShell, maxNodes } = settings
  const authentication = createAuthentication({
    database: store.signInDatabase,
    secret: secretKey,
    publicUrl: settings.publicUrl ?? new URL(`http://${hostForPeople(settings.host)}:${settings.port}`),
    bootstrapToken: settings.bootstrapToken,
    allRoles: roles,
    log: (level, message) => log[level](message),
  })
  const { ctx, engine, metrics, objectives } = await compose(
    {
      store,
      storage: createStorageGauge({
        size: store.size,
        dataDir,
        maxDatabaseMb,
        now: clock.now,
        warn,
      }),
      people: { list: authentication.people },
      clock,
      dataDir,
      childEntry: options.runnerEntry,
      runnerLimits: { maxChildren },
      checkerEntry: options.checkerEntry,
      orchestratorSettings: {
        ...{ maxConcurrentTasks, retentionMs: retentionDays * DAY_MS },
        ...(settings.traces === null ? {} : { traceShare: settings.traces.percent / 100 }),
      },
      secretKey,
      egressAllow,
      allowShell,
      examples,
      maxNodes,
      traceLink: settings.traceLink,
      warn,
      fatal: options.fatal,
    },
    closers,
  )
  ctx.feed.onCommit((commit) => logCommit(log, commit))
  if (settings.traces !== null) trace(ctx, settings.traces, { warn, closers, clock })
  const caller = { ...systemPrincipal('examples', 'examples'), roles }
  await loadExamples({ ctx, caller, projectDir, dataDir, filesDir: join(dataDir, 'files'), warn })
  await engine.recover()
  objectives.recovered(performance.now())
  return { store, authentication, ctx, engine, metrics }
}

/** Sends what runs did to a tracing tool. */
function trace(
  { journal, feed }: OperationContext,
  { endpoint, percent }: NonNullable<Settings['traces']>,
  { warn, closers, clock }: { readonly warn: Log['warn']; readonly closers: Closers; readonly clock: Clock },
): void {
  const spans = createSpanExport(endpoint, warn)
  const tracing = createTracing({ journal, clock, spans, share: percent / 100, warn })
  feed.onCommit(tracing.committed)
  feed.onRemoved(tracing.removed)
  closers.add(tracing.close)
}

async function open(options: ServeOptions, closers: Closers): Promise<RunningServer> {
  const { settings, log } = options
  const clock = createSystemClock()
  const onDefect = (error: unknown) => log.error('a request failed by a defect', error)
  const { store, authentication, ctx, engine, metrics } = await openEngine(options, closers, clock)
  const isReady = atMostEvery(probeMs, clock.now, async () => {
    if (!engine.ready()) return false
    await store.readiness()
    return true
  })
  const signOut = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('set-cookie', [...(await authentication.signOut(request.headers))])
  }
  const { rateLimit } = settings
  const unguarded = doorOf(settings, authentication)
  addProcessMetrics(metrics)
  const { metricsToken, metricsPort } = settings
  const { api, hub, door, answerMetrics } = composeApi({
    ...{ ctx, door: unguarded, rateLimit, signOut, isReady, onDefect, metrics },
    metricsDoor: {
      token: metricsToken,
      // What a proxy passes on goes to the port of the pages.
      behindProxy: settings.publicUrl !== null && metricsPort === null,
      ownPort: metricsPort !== null,
    },
  })
  let drawn: Pages | null = null
  const pages = createPages({
    door,
    now: clock.now,
    development: options.development,
    secure: settings.publicUrl?.protocol === 'https:',
    render: () => drawn?.render ?? null,
    redeem: authentication.redeem,
    onDefect,
  })
  const upgrade: Upgrade = (request, socket, head) => {
    if (drawn === null || !mayUpgrade(request, door)) refuse(socket, 400, 'Nothing is upgraded here.')
    else drawn.upgrade(request, socket, head)
  }
  const server = createHttpServer(
    (request, response) => {
      measureRequest(metrics, response)
      api(request, response)
        .then((answered) => (answered ? undefined : pages(request, response)))
        .catch(onDefect)
    },
    options.development ? upgrade : null,
  )
  closers.add(async () => {
    hub.end()
    await stopListening(server)
  })
  const url = await listen(server, settings)
  if (metricsPort !== null) await listenForMetrics(answerMetrics, settings, closers)
  options.preparePages?.().then(
    (prepared) => (drawn = prepared),
    (error: unknown) => log.error('the pages could not be prepared; the API goes on', error),
  )
  const signInUrl = new URL('/sign-in', settings.publicUrl ?? url)
  signInUrl.searchParams.set('token', await authentication.issueSignInToken())
  return { url, signInUrl, stop: () => closers.closeAll() }
}

/** Metrics on a port of their own, on which there is nothing else. */
async function listenForMetrics(answer: AnswerMetrics, settings: Settings, closers: Closers): Promise<void> {
  const server = createHttpServer((request, response) => {
    if (targetOf(request).path === '/metrics') void answer(request, response)
    else sendJson(response, 404, { error: { code: 'not_found', message: 'Metrics are at /metrics.' } })
  }, null)
  closers.add(() => stopListening(server))
  await listen(server, { host: settings.host, port: settings.metricsPort ?? 0 })
}

/** Opens the store, and ends the process when somebody takes its file away. */
async function openWatchedStore(
  { settings, projectDir, fatal, log }: ServeOptions,
  closers: Closers,
): Promise<SqliteStore> {
  const store = await openStore({
    dataDir: settings.dataDir,
    tenantId: TENANT,
    migrationsDir: join(projectDir, 'prisma/migrations'),
    ...(settings.databaseUrl === null ? {} : { databaseUrl: settings.databaseUrl }),
  })
  closers.add(() => store.close())
  const [first] = store.readableByOthers
  if (first !== undefined) {
    log.warn(
      `other users of this machine can read ${first}: it belongs to another user, who has to change that`,
    )
  }
  const watch = setInterval(() => {
    if (store.isSameFile()) return
    fatal(
      new Error('The database was moved or removed while the server ran: what is written now would be lost.'),
    )
  }, FILE_CHECK_MS)
  watch.unref()
  closers.add(() => clearInterval(watch))
  return store
}

function doorOf({ host, publicUrl }: Settings, authentication: Authentication): Door {
  return {
    callerOf: (request) => authentication.principalOf(request.headers),
    hostNames: new Set([host.toLowerCase(), ...(publicUrl ? [publicUrl.hostname.toLowerCase()] : [])]),
    origins: new Set(publicUrl ? [publicUrl.origin] : []),
  }
}

/** Answers the address at which the server listens. */
async function listen(server: Server, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<URL> {
  server.keepAliveTimeout = 65_000
  server.requestTimeout = 60_000
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const actual = address !== null && typeof address === 'object' ? address.port : port
  return new URL(`http://${hostForPeople(host)}:${actual}`)
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
