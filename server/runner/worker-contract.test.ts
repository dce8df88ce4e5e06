import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AttemptRequest, AttemptResult, Runner } from '@/server/ports/runner'
import { createRunnerFixture, systemClock } from '@/testing/runner-fixture'
import { noFaults } from '@/testing/simulation/faults'
import { Random } from '@/testing/simulation/random'
import { SimulatedRunner } from '@/testing/simulation/simulated-runner'
import { World } from '@/testing/simulation/world'
import { wireLink } from '@/testing/wire-link'
import { verdictOf, reportEnd } from './attempt-result'
import { createChildPool } from './child-pool'
import { startChildWorker } from './child-worker'
import { usualLimits } from './limits'
import { WorkQueue } from './work-queue'
import { startWorkerLoop } from './worker-loop'
import type { WorkerLink } from './worker-protocol'

/** What every worker must do, whatever runs its attempts and however its messages travel. */
type Subject = {
  readonly runner: Pick<Runner, 'dispatch' | 'pools' | 'stop'>
  /** Lets the time of the worker pass until the promise has resolved. */
  go<T>(promise: Promise<T>): Promise<T>
} & AsyncDisposable

const TASK = 'script.javascript'
const CAPACITY = 2
const childTasks = `
  '${TASK}': async (input, context) => {
    if (input.do === 'fails') throw Object.assign(new Error('as asked'), { name: 'TaskFailure', kind: 'too_wet' })
    if (input.do === 'hangs') await new Promise((stop) => context.signal.addEventListener('abort', stop))
    return { result: 1 }
  },
  'duckdb.query': async (input, context) => {
    const { readFile, writeFile } = await import('node:fs/promises')
    const texts = []
    for (const name of Object.values(input.files)) texts.push(await readFile(name, 'utf8'))
    await writeFile('made.txt', texts.join(' ').toUpperCase())
    return { artifact: { $file: context.workDir + '/made.txt', name: 'made.txt', contentType: 'text/plain' } }
  },
`

const direct = (link: WorkerLink) => link

async function openChildren(carry: (link: WorkerLink) => WorkerLink) {
  const at = await createRunnerFixture({ tasks: childTasks, limits: { warmChildren: 0 } })
  const workRoot = join(at.folder, 'contract')
  const spoolDir = join(at.folder, 'spool')
  await mkdir(workRoot)
  await mkdir(spoolDir)
  const limits = { ...usualLimits(), maxChildren: CAPACITY, warmChildren: 0 }
  const queue = new WorkQueue({
    clock: systemClock,
    artifacts: at.artifacts,
    filesDir: at.filesDir,
    spoolDir,
  })
  const pool = createChildPool({ entry: at.childEntry, folder: workRoot, heapMegabytes: 128 }, limits)
  const link = carry(queue.connect({ pool: 'children', tasks: [TASK, 'duckdb.query'], leaseMs: null }))
  void startChildWorker(link, { pool, workRoot, clock: systemClock, limits, ready: Promise.resolve() })
  return {
    runner: queue as Subject['runner'],
    go: <T>(promise: Promise<T>) => promise,
    at,
    spoolDir,
    async [Symbol.asyncDispose]() {
      await queue.stop()
      await pool.stop()
      await at[Symbol.asyncDispose]()
    },
  }
}

/** The smallest worker there can be: it reports what the input asks for. */
async function openScripted(): Promise<Subject> {
  const nothing = {
    get: async () => null,
    pathOf: () => '',
    putFile: () => Promise.reject(new Error('none')),
  }
  const queue = new WorkQueue({ clock: systemClock, artifacts: nothing, filesDir: '', spoolDir: '' })
  const link = wireLink(queue.connect({ pool: 'scripted', tasks: [TASK], leaseMs: 60_000 }))
  const loop = startWorkerLoop(link, CAPACITY, (order) => {
    const end = (result: AttemptResult) => {
      loop.finished(order)
      void reportEnd(link, order, result)
    }
    const { do: wanted } = order.input
    if (wanted === 'completes') end({ ok: true, outputs: { result: 1 } })
    if (wanted === 'fails') end({ ok: false, error: { kind: 'too_wet', message: 'as asked' } })
    return { end: (reason) => end(verdictOf(reason)) }
  })
  return {
    runner: queue,
    go: (promise) => promise,
    [Symbol.asyncDispose]: () => queue.stop(),
  }
}

async function openSimulated(): Promise<Subject> {
  const world = new World(new Random(7))
  const runner = new SimulatedRunner(world, { ...noFaults, workersHang: 1 }, CAPACITY)
  return {
    runner,
    async go(promise) {
      let over = false
      const end = promise.finally(() => (over = true))
      while (!over) await world.advance()
      return end
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const subjects: readonly (readonly [string, () => Promise<Subject>])[] = [
  ['the pool of children', () => openChildren(direct)],
  ['the pool of children over a wire', () => openChildren(wireLink)],
  ['a scripted worker over a wire', openScripted],
  ['the simulated worker', openSimulated],
]

const YEAR_MS = 365 * 24 * 60 * 60_000

let tokens = 0
/** Dispatches an attempt that completes, fails or hangs. The simulated worker hangs where there is a timeout. */
function dispatch(
  { runner }: Subject,
  wanted: 'completes' | 'fails' | 'hangs',
  more: Partial<AttemptRequest> = {},
) {
  tokens += 1
  const token = tokens
  let calls = 0
  let answer: (result: AttemptResult) => void = () => undefined
  const result = new Promise<AttemptResult>((resolve) => (answer = resolve))
  const handle = runner.dispatch(
    {
      executionId: 'e1',
      pipelineId: 'p',
      nodeId: 'n',
      generation: 1,
      item: null,
      attempt: 1,
      token,
      idempotencyKey: `e1/n/1/${token}`,
      task: TASK,
      input: { do: wanted, input: { fails: [wanted === 'fails' ? 99 : 0] } },
      timeoutMs: wanted === 'hangs' ? YEAR_MS : null,
      ...more,
    },
    {
      begun: () => undefined,
      progress: () => undefined,
      log: () => undefined,
      done(end) {
        calls += 1
        answer(end)
      },
    },
  )
  return { handle, result, token, calls: () => calls }
}

const poolOf = ({ runner }: Subject) => runner.pools()[0]!

describe.each(subjects)('%s', { timeout: 60_000 }, (_, open) => {
  it('completes, with the outputs of the task, never inside the dispatch', async () => {
    await using at = await open()
    const one = dispatch(at, 'completes')
    expect(one.calls()).toBe(0)
    expect(await at.go(one.result)).toEqual({ ok: true, outputs: { result: 1 } })
    expect(one.calls()).toBe(1)
  })

  it('fails with the error of the task', async () => {
    await using at = await open()
    const result = await at.go(dispatch(at, 'fails').result)
    expect(result).toMatchObject({ ok: false, error: { message: expect.any(String) } })
  })

  it('fails a task that no worker knows', async () => {
    await using at = await open()
    const { result } = dispatch(at, 'completes', { task: 'constructor' })
    expect(await at.go(result)).toMatchObject({ ok: false, error: { kind: 'invalid_input' } })
  })

  it.each(['cancelled', 'timeout'] as const)('[R-57] ends once when it is ended as %s', async (reason) => {
    await using at = await open()
    const hanging = dispatch(at, 'hangs')
    await at.go(dispatch(at, 'completes').result)
    hanging.handle.abort(reason)
    hanging.handle.abort('shutdown')
    expect(await at.go(hanging.result)).toMatchObject({ ok: false, error: { kind: reason } })
    await at.go(dispatch(at, 'completes').result)
    expect(hanging.calls()).toBe(1)
  })

  it('holds no more than its capacity, shows it as a pool, and takes what waits when there is room', async () => {
    await using at = await open()
    const hanging = [dispatch(at, 'hangs'), dispatch(at, 'hangs')]
    const third = dispatch(at, 'completes')
    // A worker claims some turns after it has joined.
    while (poolOf(at).used < CAPACITY) await new Promise((resolve) => setImmediate(resolve))
    expect(poolOf(at)).toMatchObject({ capacity: CAPACITY, used: CAPACITY, waiting: 1 })
    const waits = dispatch(at, 'completes')
    waits.handle.abort('cancelled')
    expect(await at.go(waits.result)).toMatchObject({ ok: false, error: { kind: 'cancelled' } })
    expect(third.calls()).toBe(0)
    hanging[0]!.handle.abort('cancelled')
    expect(await at.go(third.result)).toMatchObject({ ok: true })
    expect(poolOf(at)).toMatchObject({ used: 1, waiting: 0 })
  })

  it('[R-12] starts the next attempt of the same work only when the earlier one has ended', async () => {
    await using at = await open()
    const first = dispatch(at, 'hangs', { idempotencyKey: 'e1/n/1/same' })
    const second = dispatch(at, 'completes', { idempotencyKey: 'e1/n/1/same' })
    await at.go(dispatch(at, 'completes').result)
    expect(second.calls()).toBe(0)
    first.handle.abort('timeout')
    const ends: number[] = []
    await at.go(Promise.all([first, second].map(({ result, token }) => result.then(() => ends.push(token)))))
    expect(ends).toEqual([first.token, second.token])
  })

  it('loses what it holds and what waits when the server stops', async () => {
    await using at = await open()
    const all = [dispatch(at, 'hangs'), dispatch(at, 'hangs'), dispatch(at, 'completes')]
    await at.go(at.runner.stop())
    const late = dispatch(at, 'completes')
    for (const { result } of [...all, late]) {
      expect(await at.go(result)).toEqual({ ok: 'lost', reason: 'the server is shutting down' })
    }
    expect(poolOf(at)).toMatchObject({ capacity: 0, used: 0, waiting: 0 })
  })
})

describe.each([
  ['on this machine', direct],
  ['over a wire', wireLink],
])('files of an attempt, %s', { timeout: 60_000 }, (_, carry) => {
  it('come as streams by path or artifact and go back as an artifact', async () => {
    await using subject = await openChildren(carry)
    const { at, spoolDir } = subject
    const about = { executionId: 'e1', nodeId: 'n', name: 'in/word.txt', contentType: 'text/plain' }
    const row = await at.artifacts.putBytes({ ...about, bytes: Buffer.from('drop') })
    const result = await dispatch(subject, 'completes', {
      task: 'duckdb.query',
      input: { files: { a: { artifact_id: row.artifactId }, b: { artifact_id: row.artifactId } } },
    }).result
    if (result.ok !== true) throw new Error(JSON.stringify(result))
    expect(result.outputs).toMatchObject({
      artifact: { name: 'made.txt', content_type: 'text/plain', bytes: 9 },
    })
    expect(await at.textOf(result.outputs['artifact'])).toBe('DROP DROP')
    expect(await readdir(spoolDir)).toEqual([])
  })

  it('are refused by name when they are not there', async () => {
    await using subject = await openChildren(carry)
    for (const file of ['../secret', 'absent.csv', { artifact_id: 'art_of_another_run' }]) {
      const input = { files: { rows: file } }
      const { result } = dispatch(subject, 'completes', { task: 'duckdb.query', input })
      expect(await result).toMatchObject({
        ok: false,
        error: { kind: 'invalid_input', message: expect.stringContaining('files.rows') },
      })
    }
  })
})
