import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { traceIdOf } from '@/core/engine/trace'
import { logLine } from '@/server/observe/log-line'
import { freePort } from '@/testing/server-process'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const token = 'bootstrap-token-of-the-test'
const processes: ChildProcess[] = []
let bundle: string
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-serve-'))
  // Below the project, so that it finds its packages, as the product's own bundle does.
  bundle = join(root, 'node_modules/.cache', `serve-${process.pid}`)
  mkdirSync(bundle, { recursive: true })
  await build({
    entryPoints: {
      main: join(root, 'server/main.ts'),
      runner: join(root, 'server/runner/child/main.ts'),
      checker: join(root, 'server/checking/worker.ts'),
    },
    outdir: bundle,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    alias: { '@': root },
    logLevel: 'silent',
  })
}, 60_000)
afterEach(() => {
  for (const child of processes.splice(0)) child.kill('SIGKILL')
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(bundle, { recursive: true, force: true })
})

/** Starts the real process. `ready` resolves with its addresses once it says them; `ended` with its exit code and output. */
function start(dataDir: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(bundle, 'main.mjs')], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      PENSTOCK_DATA_DIR: dataDir,
      PENSTOCK_BOOTSTRAP_TOKEN: token,
      PENSTOCK_LOG_LEVEL: 'error',
      ...env,
    },
  })
  processes.push(child)
  let output = ''
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
  const ready = new Promise<{ base: string; link: string }>((settle, fail) => {
    const read = (bytes: Buffer) => {
      output += bytes.toString()
      const link = /Sign in once with (\S+)/.exec(output)?.[1]
      const base = /Penstock is at (\S+)/.exec(output)?.[1]
      if (link !== undefined && base !== undefined)
        settle({ base, link: link.replace(/^http:\/\/[^/]+/, base) })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', (code) => fail(new Error(`ended with ${code}: ${output}`)))
  })
  ready.catch(() => undefined)
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, output: () => output }))
  return { child, ready, ended, output: () => output, errors: () => errors }
}

const data = (name: string) => join(folder, name)
const bearer = { authorization: `Bearer ${token}` }
const json = async (url: string, init: RequestInit = {}) =>
  (await (await fetch(url, { headers: bearer, ...init })).json()) as Record<string, unknown>

describe('the process', () => {
  it('migrates, loads the examples once, listens, and stops within seconds with a stream open', async () => {
    const first = start(data('a'))
    const { base } = await first.ready
    expect(await json(`${base}/readyz`)).toEqual({ status: 'ready' })
    const pipelines = (await json(`${base}/api/v1/pipelines`)) as { items: { id: string }[] }
    expect(pipelines.items.map((item) => item.id)).toEqual(
      expect.arrayContaining(['seattle_weather', 'flights', 'data_ready']),
    )
    expect(statSync(join(data('a'), 'secret.key')).mode & 0o777).toBe(0o600)
    for (const { id } of pipelines.items.filter((item) => item.id !== 'data_ready')) {
      await fetch(`${base}/api/v1/pipelines/${id}`, { method: 'DELETE', headers: bearer })
    }
    const run = await json(`${base}/api/v1/pipelines/data_ready/executions`, { method: 'POST' })
    const stream = await fetch(`${base}/api/v1/executions/${String(run.execution_id)}/stream`, {
      headers: bearer,
    })
    const closing = stream.text()
    const from = Date.now()
    first.child.kill('SIGTERM')
    expect((await first.ended).code).toBe(0)
    expect(Date.now() - from).toBeLessThan(5_000)
    expect(await closing).toContain('event: pipeline.started')

    const second = start(data('a'))
    const again = await second.ready
    const kept = (await json(`${again.base}/api/v1/pipelines`)) as { items: { id: string }[] }
    expect(
      kept.items.map((item) => item.id),
      'deleted examples stay deleted',
    ).toEqual(['data_ready'])
    expect(await json(`${again.base}/api/v1/executions/${String(run.execution_id)}`)).toMatchObject({
      execution_id: run.execution_id,
    })
  }, 60_000)

  it('signs the owner in by the link of the console: once, from our own page, for good over a restart', async () => {
    const first = start(data('b'))
    const { base, link } = await first.ready
    const signInToken = new URL(link).searchParams.get('token') ?? ''
    const post = (headers: Record<string, string> = { origin: base }) =>
      fetch(`${base}/sign-in`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ token: signInToken, next: '/approvals' }),
        redirect: 'manual',
      })
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
    const signedIn = await post()
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/approvals'])
    expect((await post()).headers.get('location')).toBe('/sign-in?error=invalid_link')
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    expect(await json(`${base}/api/v1/whoami`, { headers: { cookie } })).toMatchObject({
      name: 'owner',
      via: 'session',
    })
    first.child.kill('SIGTERM')
    await first.ended

    const second = start(data('b'))
    const again = await second.ready
    expect(await json(`${again.base}/api/v1/whoami`, { headers: { cookie } })).toMatchObject({
      name: 'owner',
    })
    const out = await fetch(`${again.base}/api/trpc/session.signOut`, {
      method: 'POST',
      headers: { cookie, origin: again.base, 'content-type': 'application/json' },
    })
    expect([out.status, out.headers.getSetCookie().join()]).toEqual([
      200,
      expect.stringMatching(/Max-Age=0/i),
    ])
    expect((await fetch(`${again.base}/api/v1/whoami`, { headers: { cookie } })).status).toBe(401)
  }, 60_000)

  it('refuses a second server on the same folder, in one line', async () => {
    const first = start(data('c'))
    await first.ready
    const { code, output } = await start(data('c')).ended
    expect(code).toBe(1)
    expect(output().trim().split('\n')).toEqual([expect.stringContaining('PENSTOCK_DATA_DIR')])
  }, 60_000)

  it('refuses a setting that cannot be used, and a port that is taken, in one line each', async () => {
    const setting = await start(data('d'), { PENSTOCK_MAX_NODES: 'many' }).ended
    expect([setting.code, setting.output().trim()]).toEqual([
      1,
      expect.stringMatching(/^PENSTOCK_MAX_NODES cannot be used: [^\n]+$/),
    ])
    const allow = await start(data('d'), { PENSTOCK_EGRESS_ALLOW: '10.0.0.0/8, http://a.example' }).ended
    expect([allow.code, allow.output().trim()]).toEqual([
      1,
      expect.stringMatching(
        /^PENSTOCK_EGRESS_ALLOW cannot be used: "http:\/\/a\.example" is neither [^\n]+$/,
      ),
    ])
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const port = (taken.address() as AddressInfo).port
    const clash = await start(data('d'), { PORT: String(port) }).ended
    taken.close()
    expect([clash.code, clash.output().trim()]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^Port ${port} [^\\n]+$`)),
    ])
  }, 60_000)

  it('says in one line that the database cannot be used, and never creates an empty one instead', async () => {
    const first = start(data('f'))
    await first.ready
    first.child.kill('SIGKILL')
    await first.ended
    const file = join(data('f'), 'penstock.db')
    const away = `${file}.away`
    const refused = async () => {
      const { code, output } = await start(data('f')).ended
      expect(code).toBe(1)
      return output().trim()
    }
    renameSync(file, away)
    expect(await refused()).toMatch(/^\S+penstock\.db is missing or empty, but its log [^\n]+$/)
    writeFileSync(file, 'no database at all, but long enough to be read as one'.repeat(100))
    expect(await refused()).toMatch(/^\S+penstock\.db cannot be read \([a-z ]+\): restore[^\n]+$/)
    renameSync(away, file)
    const second = start(data('f'))
    await second.ready
    second.child.kill('SIGTERM')
    await second.ended
    writeFileSync(data('plain'), '')
    const { output } = await start(data('plain')).ended
    expect(output().trim()).toMatch(/^The server cannot start: EEXIST[^\n]+$/)
  }, 60_000)

  it('ends when its database is taken away, instead of acknowledging what is lost', async () => {
    const server = start(data('g'))
    await server.ready
    renameSync(data('g'), data('g-away'))
    const { code, output } = await server.ended
    expect(code).toBe(1)
    expect(output()).toContain('The database was moved or removed')
  }, 60_000)

  it('computes with times as before when the pages are ready', async () => {
    const server = start(data('h'))
    const { base } = await server.ready
    const prepared = async () => {
      const page = await fetch(`${base}/sign-in`)
      await page.text()
      return page.status !== 503 || server.output().includes('could not be prepared')
    }
    await expect.poll(prepared, { timeout: 30_000, interval: 200 }).toBe(true)
    const hour = 'timestamp("2026-01-01T12:00:00Z").getHours("America/New_York")'
    const nodes = [
      { id: 'a', task: 'set', inputBindings: { hour: `{{ ${hour} }}` }, startWhen: 'event:pipeline.started' },
    ]
    const init = {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'times', nodes }),
    }
    expect(await json(`${base}/api/v1/pipelines/validate`, init)).toMatchObject({ valid: true, issues: [] })
  }, 60_000)

  it('runs programs and reaches its own machine when both are switched on, and shows a program nothing of itself', async () => {
    const server = start(data('i'), {
      PENSTOCK_ALLOW_SHELL: 'true',
      PENSTOCK_EGRESS_ALLOW: '127.0.0.1',
      PENSTOCK_SECRET_KEY: 'canary-key-of-the-server-0123456789',
    })
    const { base } = await server.ready
    const startWhen = 'event:pipeline.started'
    const nodes = [
      {
        id: 'see',
        task: 'shell',
        startWhen,
        inputBindings: { script: 'env; cat /proc/$PPID/environ; echo 1 > out/a.txt' },
      },
      {
        id: 'ask',
        task: 'http.request',
        startWhen,
        inputBindings: { method: 'GET', url: `${base}/healthz` },
      },
    ]
    const created = await json(`${base}/api/v1/pipelines`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'out', nodes }),
    })
    expect(created).toMatchObject({ issues: [] })
    const run = await json(`${base}/api/v1/pipelines/out/executions`, { method: 'POST' })
    const execution = `${base}/api/v1/executions/${String(run.execution_id)}`
    await (await fetch(`${execution}/stream`, { headers: bearer })).text()
    const view = await json(execution)
    expect(view).toMatchObject({
      status: 'completed',
      nodes: { see: { outputs: { artifacts: [{ name: 'a.txt' }] } }, ask: { outputs: { status: 200 } } },
    })
    expect(JSON.stringify(view)).toContain('LANG=C.UTF-8')
    expect(JSON.stringify(view)).not.toMatch(/canary|bootstrap-token|PENSTOCK_/)
  }, 60_000)

  it('takes up after a kill what was acknowledged before it', async () => {
    const first = start(data('e'))
    const { base } = await first.ready
    const define = {
      id: 'w',
      nodes: [
        {
          id: 'a',
          task: 'set',
          inputBindings: { v: 1 },
          startWhen: 'event:pipeline.started && event:external.go',
        },
      ],
    }
    await json(`${base}/api/v1/pipelines`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify(define),
    })
    const run = await json(`${base}/api/v1/pipelines/w/executions`, { method: 'POST' })
    const publish = (at: string) =>
      json(`${at}/api/v1/events`, {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/json', 'idempotency-key': 'go-1' },
        body: JSON.stringify({ execution_id: run.execution_id, event_type: 'external.go' }),
      })
    const published = await publish(base)
    first.child.kill('SIGKILL')
    await first.ended
    const second = await start(data('e')).ready
    const stream = await fetch(`${second.base}/api/v1/executions/${String(run.execution_id)}/stream`, {
      headers: bearer,
    })
    expect(await stream.text()).toContain('event: pipeline.closed')
    expect(await json(`${second.base}/api/v1/executions/${String(run.execution_id)}`)).toMatchObject({
      status: 'completed',
    })
    expect(await publish(second.base), 'the key still gives the first answer').toEqual(published)
  }, 60_000)
})

describe('what the process says of itself', () => {
  it('[H-21] is JSON on standard error, each line with exactly the specified fields and no credential', async () => {
    const server = start(data('log'), { PENSTOCK_LOG_LEVEL: 'debug', PENSTOCK_NO_SUCH_SETTING: '1' })
    const { base, link } = await server.ready
    const headers = { ...bearer, 'content-type': 'application/json' }
    const body = JSON.stringify({
      schemaVersion: 1,
      id: 'logged',
      name: 'logged',
      nodes: [
        {
          id: 'works',
          task: 'set',
          inputBindings: { x: 1 },
          startWhen: 'event:pipeline.started',
          phase: 'extract',
        },
        { id: 'breaks', task: 'fail', inputBindings: { message: 'no' }, startWhen: 'event:works.completed' },
      ],
    })
    expect((await fetch(`${base}/api/v1/pipelines`, { method: 'POST', headers, body })).status).toBe(201)
    const run = await json(`${base}/api/v1/pipelines/logged/executions?wait=10s`, { method: 'POST' })
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    const lines = server
      .errors()
      .trim()
      .split('\n')
      .map((line) => logLine.parse(JSON.parse(line)))
    const ofRun = lines.filter(({ execution_id: id }) => id === run.execution_id)
    const trace = traceIdOf(String(run.execution_id))
    expect(new Set(ofRun.map(({ trace_id: id }) => id))).toEqual(new Set([trace]))
    const completed = ofRun.find(({ event }) => event === 'task_completed')
    expect(completed).toMatchObject({ level: 'INFO', phase_id: 'extract', task_id: 'works' })
    expect(completed?.duration_ms).toBeGreaterThanOrEqual(0)
    expect(completed?.span_id).not.toBeNull()
    expect(ofRun).toContainEqual(
      expect.objectContaining({ level: 'WARN', event: 'task_failed', task_id: 'breaks' }),
    )
    expect(ofRun).toContainEqual(
      expect.objectContaining({ level: 'ERROR', event: 'pipeline_failed', task_id: null }),
    )
    const ofServer = lines.filter(({ execution_id: id }) => id === null).map(({ event }) => event)
    expect(ofServer).toContain('PENSTOCK_NO_SUCH_SETTING is not a setting of this version')
    expect(ofServer).toContain('SIGTERM: stopping')
    expect(server.errors()).not.toContain(token)
    expect(server.errors()).not.toContain(new URL(link).searchParams.get('token'))
  }, 60_000)

  it('[H-20] is measured on a port of its own where that is set, and there alone', async () => {
    const metricsPort = await freePort()
    const { ready } = start(data('metrics'), {
      PENSTOCK_METRICS_PORT: String(metricsPort),
      PENSTOCK_PUBLIC_URL: 'https://penstock.example',
    })
    const { base } = await ready
    const scrape = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
    expect(scrape.status).toBe(200)
    const text = await scrape.text()
    expect(text).toMatch(/^hlp_executor_tasks_total\{status="completed"\} 0$/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^penstock_disk_free_bytes \d+$/m)
    expect((await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status).toBe(404)
    expect((await fetch(`${base}/metrics`)).status).toBe(404)
  }, 60_000)
})
