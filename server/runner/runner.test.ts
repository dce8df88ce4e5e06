import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildModule } from '@/testing/build-module'
import { isAlive } from '@/testing/processes'
import { createRunnerFixture, errorOf, outputsOf } from '@/testing/runner-fixture'

const MB = 1024 * 1024

/** Tasks that do what a damaged or hostile child could do: they have all of Node. */
const misbehaving = `
  hello: async (input, context) => { context.log('log', 'hello'); return { said: input.word, key: context.idempotencyKey } },
  pid: async () => ({ pid: process.pid }),
  surroundings: async (input, context) => ({
    env: Object.keys(process.env), cwd: process.cwd() === context.workDir, proto: '__proto__' in {}, args: process.argv.length }),
  exit: async () => { process.stderr.write('about to go\\n'); await new Promise((go) => setTimeout(go, 50)); process.exit(1) },
  abort: async () => process.abort(),
  dies: async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}) },
  spin: async (input, context) => { context.log('log', 'pid ' + process.pid); for (;;); },
  waits: async (input, context) => { context.log('log', 'pid ' + process.pid); await new Promise(() => {}) },
  obeys: async (input, context) => {
    context.log('log', 'ready')
    await new Promise((stop) => context.signal.addEventListener('abort', stop))
    context.log('log', 'stopped')
    return { late: true }
  },
  eats: async () => { const all = []; for (let n = 0; n < 20; n += 1) { all.push(Buffer.alloc(100 * 1024 * 1024, 1)); await new Promise(setImmediate) } return { bytes: all.length } },
  heap: async () => { const all = []; for (;;) all.push({ n: all.length, text: 'x' + all.length }) },
  prints: async (input) => { const line = 'y'.repeat(1023) + '\\n'; for (let n = 0; n < input.lines; n += 1) { if (!process.stdout.write(line)) await new Promise((go) => process.stdout.once('drain', go)) } return { lines: input.lines } },
  logs: async (input, context) => { for (let n = 0; n < input.lines; n += 1) context.log('log', 'z'.repeat(input.width)); return {} },
  returns: async (input) => ({ small: 1, big: 'x'.repeat(input.bytes) }),
  floods: async () => { const part = 'x'.repeat(1024 * 1024); for (let n = 0; n < 50; n += 1) writeSync(3, part); return {} },
  nonsense: async () => { writeSync(3, '{"type":"done"}\\n'); await new Promise(() => {}) },
  forges: async (input) => { writeSync(3, JSON.stringify({ type: 'done', id: input.id, outputs: { forged: true } }) + '\\n'); return { forged: false } },
  cyclic: async () => { const a = {}; a.a = a; return { a } },
  big: async () => ({ n: 10n }),
  throws: async () => { throw 'a word' },
  ticks: async (input, context) => { context.progress({ ratio: 0.5, message: 'half' }); return {} },
  grandchild: async (input, context) => {
    const { spawn } = await import('node:child_process')
    context.log('log', 'pid ' + spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).pid)
    await new Promise(() => {})
  },
  'duckdb.query': async (input) => ({ artifact: { $file: input.sql, name: 'a.txt', contentType: 'text/plain' }, row_count: 0, rows: [], columns: [] }),
`

/**
 * The runner dispatches by type, so the tasks above stand in for the three types of the child: the fixture sends their
 * name as the input of one task that hands over.
 */
const tasks = `
  'script.javascript': (input, context) => { const all = { ${misbehaving} }; return all[input.do](input, context) },
  'duckdb.query': async (input) => ({ artifact: { $file: input.sql, name: 'a.txt', contentType: 'text/plain' } }),
`
const task = 'script.javascript'
const pidIn = (line: string) => Number(/pid ([0-9]+)/.exec(line)?.[1])

describe('children', () => {
  it('[R-12] gives every dispatch its own answer and drops one that carries another number', async () => {
    await using at = await createRunnerFixture({ tasks, limits: { maxChildren: 1 } })
    const words = await Promise.all(['a', 'b', 'c'].map((word) => at.run(task, { do: 'hello', word })))
    expect(words.map((result) => outputsOf(result)['said'])).toEqual(['a', 'b', 'c'])
    // The fourth dispatch forges an answer for the fifth, and one for an earlier dispatch.
    expect(outputsOf(await at.run(task, { do: 'forges', id: 5 }))).toEqual({ forged: false })
    expect(outputsOf(await at.run(task, { do: 'forges', id: 1 }))).toEqual({ forged: false })
  })

  it('hands the idempotency key to the task, the same for a re-dispatch with a new token', async () => {
    await using at = await createRunnerFixture({ tasks })
    const request = { idempotencyKey: 'e1/n/1/0' }
    const first = await at.run(task, { do: 'hello', word: 'a' }, { ...request, token: 1 })
    const second = await at.run(task, { do: 'hello', word: 'a' }, { ...request, token: 2 })
    expect([first, second].map((result) => outputsOf(result)['key'])).toEqual(['e1/n/1/0', 'e1/n/1/0'])
  })

  it('starts children with nothing of the environment of the server but where programs are found', async () => {
    await using at = await createRunnerFixture({ tasks })
    const outputs = outputsOf(await at.run(task, { do: 'surroundings' }))
    expect(outputs).toEqual({ env: ['NODE_ENV', 'TZ', 'LANG', 'PATH'], cwd: true, proto: false, args: 3 })
  })

  it('uses a warm child again, and not for ever', async () => {
    await using at = await createRunnerFixture({ tasks, limits: { maxChildren: 1, attemptsPerChild: 3 } })
    const pids: unknown[] = []
    for (let n = 0; n < 5; n += 1) pids.push(outputsOf(await at.run(task, { do: 'pid' }))['pid'])
    expect(new Set(pids.slice(0, 3)).size).toBe(1)
    expect(new Set(pids).size).toBe(2)
  })

  it('runs no more children at once than it may, and everything in the end', async () => {
    await using at = await createRunnerFixture({ tasks, limits: { maxChildren: 2 } })
    const results = await Promise.all(Array.from({ length: 12 }, () => at.run(task, { do: 'pid' })))
    expect(new Set(results.map((result) => outputsOf(result)['pid'])).size).toBeLessThanOrEqual(2)
  })

  it('passes progress on', async () => {
    await using at = await createRunnerFixture({ tasks })
    expect((await at.start(task, { do: 'ticks' }).finished).progress).toEqual([
      { ratio: 0.5, message: 'half' },
    ])
  })
})

describe('attempts that go wrong', () => {
  it('fails an attempt whose process exits or crashes, with its last words', async () => {
    await using at = await createRunnerFixture({ tasks })
    const exit = await at.start(task, { do: 'exit' }).finished
    expect(errorOf(exit.result)).toEqual({
      kind: 'task_failed',
      message: 'the worker ended (exit 1): about to go',
    })
    expect(exit.log).toEqual(['stderr about to go'])
    expect(errorOf(await at.run(task, { do: 'abort' }))).toMatchObject({
      kind: 'task_failed',
      message: expect.stringContaining('(SIGABRT), which is a crash'),
      detail: { crash: 'SIGABRT' },
    })
    expect(outputsOf(await at.run(task, { do: 'hello', word: 'still here' }))['said']).toBe('still here')
  })

  it('loses an attempt whose child is killed from outside, or never came up', async () => {
    await using at = await createRunnerFixture({ tasks })
    expect(await at.run(task, { do: 'dies' })).toEqual({
      ok: 'lost',
      reason: 'the worker was killed from outside (SIGKILL)',
    })
    await using broken = await createRunnerFixture({ limits: { warmChildren: 0 } })
    await writeFile(fileURLToPath(broken.childEntry), 'throw new Error("broken build")')
    const result = await broken.run(task, { code: 'return 1' })
    expect(result).toMatchObject({ ok: 'lost', reason: expect.stringContaining('did not come up (exit 1)') })
  })

  it('loses an attempt when the system has nothing left to start a process with, and goes on', async () => {
    await using at = await createRunnerFixture({ limits: { warmChildren: 0 } })
    const parent = await buildModule(
      at.folder,
      `import { createRunner } from '@/server/runner/runner'
       import { closeSync, openSync } from 'node:fs'
       const runner = createRunner({
         childEntry: new URL(process.argv[2]), filesDir: process.argv[3], workRoot: process.argv[4], artifacts: null,
         egress: {}, disabledTasks: new Map(), clock: { now: () => Date.now(), at: () => () => {}, after: () => () => {}, defer: setImmediate }, limits: { warmChildren: 0 } })
       const run = () => new Promise((done) => runner.dispatch(
         { executionId: 'e', pipelineId: 'p', nodeId: 'n', generation: 1, item: null, attempt: 1, token: 1, idempotencyKey: 'k',
           task: 'script.javascript', input: { code: 'return 2' }, timeoutMs: null }, { begun() {}, progress() {}, log() {}, done }))
       const taken = []
       try { for (;;) taken.push(openSync('/dev/null')) } catch {}
       const without = await run()
       for (const descriptor of taken) closeSync(descriptor)
       const answers = [without, await run()]
       await runner.stop()
       console.log(JSON.stringify(answers))`,
    )
    const server = spawn(
      'sh',
      [
        ...['-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, fileURLToPath(parent)],
        ...[at.childEntry.href, at.filesDir, join(at.folder, 'other')],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const text = (await server.stdout.toArray()).map(String).join('')
    expect(JSON.parse(text)).toEqual([
      { ok: 'lost', reason: expect.stringContaining('could not be started: spawn') as string },
      { ok: true, outputs: { result: 2 } },
    ])
  })

  it('fails an attempt that throws anything or returns what is no JSON', async () => {
    await using at = await createRunnerFixture({ tasks })
    expect(errorOf(await at.run(task, { do: 'throws' })).message).toBe('the task threw a word')
    expect(errorOf(await at.run(task, { do: 'cyclic' })).message).toContain(
      'output a cannot be written as JSON',
    )
    expect(errorOf(await at.run(task, { do: 'big' })).message).toContain('output n cannot be written as JSON')
  })

  it('ends an attempt that spins for ever at its deadline', async () => {
    await using at = await createRunnerFixture({ tasks, limits: { timeoutGraceMs: 100 } })
    const work = at.start(task, { do: 'spin' }, { timeoutMs: 500 })
    const pid = pidIn(await work.firstLine)
    const { result } = await work.finished
    expect(errorOf(result).kind).toBe('timeout')
    expect(isAlive(pid)).toBe(false)
  })

  it('ends a script that spins for ever when it is aborted', async () => {
    await using at = await createRunnerFixture()
    const work = at.start(task, { code: 'console.log("on"); for (;;);', input: null })
    await work.firstLine
    work.abort('timeout')
    expect(errorOf((await work.finished).result).kind).toBe('timeout')
    expect(outputsOf(await at.run(task, { code: 'return 1', input: null }))).toEqual({ result: 1 })
  })

  it('ends an attempt that takes 2 GB, while the memory of the server stays flat', async () => {
    await using at = await createRunnerFixture({ tasks })
    const before = process.memoryUsage.rss()
    // memory: what the general limit of one GiB leaves is what counts here.
    const error = errorOf(await at.run(task, { do: 'eats', memory: '1024Mi' }))
    expect(error.kind).toBe('task_failed')
    expect(error.message).toMatch(/used more than 1 GB of memory/)
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB)
  })

  it('fails an attempt whose heap is full', async () => {
    await using at = await createRunnerFixture({ tasks, limits: { heapMegabytes: 64 } })
    const error = errorOf(await at.run(task, { do: 'heap', memory: '1024Mi' }))
    expect(error).toMatchObject({ kind: 'task_failed' })
    expect(error.message).toMatch(/worker ended \((SIGABRT|SIGTRAP|exit 134)\)/)
  })

  it('ends an attempt that prints 100 MB, and keeps the first of it', async () => {
    await using at = await createRunnerFixture({ tasks })
    const before = process.memoryUsage.rss()
    for (const work of [
      { do: 'prints', lines: 102_400 },
      { do: 'logs', lines: 102_400, width: 1023 },
    ]) {
      const done = await at.start(task, work).finished
      expect(errorOf(done.result)).toMatchObject({
        kind: 'output_too_large',
        message: 'printed more than 64 MB, the most that an attempt may print',
      })
      expect(done.log.join('\n').length).toBeLessThan(1.35 * MB)
      expect(done.log.length).toBeGreaterThan(500)
      const gaps = done.log.filter((line) => /^log [0-9]+ lines \([0-9.]+ MB\) are left out here/.test(line))
      expect(gaps).toHaveLength(1)
      expect(done.log.at(-1)).not.toBe(gaps[0])
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB)
  })

  it('[R-61] keeps both ends of an attempt that prints too much, and says how much is left out', async () => {
    await using at = await createRunnerFixture({ tasks })
    const many = await at.start(task, { do: 'logs', lines: 30_000, width: 3 }).finished
    outputsOf(many.result)
    expect(many.log).toHaveLength(12_001)
    expect(many.log[10_000]).toContain('18000 lines (70 KB) are left out here')
    const printed = await at.start(task, { do: 'prints', lines: 2_048 }).finished
    expect(outputsOf(printed.result)).toEqual({ lines: 2048 })
    expect(printed.log.some((line) => line.includes('are left out here'))).toBe(true)
  })

  it('[R-61] refuses an output of 50 MB by name, size and limit', async () => {
    await using at = await createRunnerFixture({ tasks })
    const before = process.memoryUsage.rss()
    const error = errorOf(await at.run(task, { do: 'returns', bytes: 50 * MB }))
    expect(error).toMatchObject({
      kind: 'output_too_large',
      detail: { output: 'big', bytes: 50 * MB + 2, limit: 16 * MB },
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(40 * MB)
    // The same past the child's own check: the parent holds the limit of the channel.
    expect(errorOf(await at.run(task, { do: 'floods' }))).toEqual({
      kind: 'output_too_large',
      message: 'the worker sent too large an answer',
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(60 * MB)
  })

  it('[R-61] refuses an input that the channel cannot take, and the child goes on', async () => {
    await using at = await createRunnerFixture({ tasks })
    const text = 'x'.repeat(16 * MB)
    const input = { do: 'returns', bytes: 1, all: [text, text, text, text] }
    expect(errorOf(await at.run(task, input))).toEqual({
      kind: 'invalid_input',
      message: 'the input is larger than 64 MB; hand large data on as an artifact',
    })
    expect(outputsOf(await at.run(task, { do: 'returns', bytes: 1 }))).toBeDefined()
  })

  it('fails an attempt whose child sends what cannot be read', async () => {
    await using at = await createRunnerFixture({ tasks })
    expect(errorOf(await at.run(task, { do: 'nonsense' })).message).toContain('cannot be read')
  })

  it('refuses a produced file that lies outside the folder of the attempt or is a link', async () => {
    await using at = await createRunnerFixture({ tasks })
    await writeFile(join(at.folder, 'secret.txt'), 'secret')
    await mkdir(join(at.folder, 'elsewhere'))
    await symlink(join(at.folder, 'secret.txt'), join(at.folder, 'elsewhere', 'link.txt'))
    for (const path of [
      join(at.folder, 'secret.txt'),
      '/etc/passwd',
      'a.txt',
      join(at.workRoot, '..', 'secret.txt'),
    ]) {
      const result = await at.run('duckdb.query', { sql: path })
      expect(result.ok, path).toBe(false)
    }
    expect(await at.artifacts.list('e1')).toEqual([])
  })
})

describe('ends', () => {
  it('[R-57] answers once after an abort, with its reason, whatever the task still returns', async () => {
    await using at = await createRunnerFixture({ tasks })
    const work = at.start(task, { do: 'obeys' })
    await work.firstLine
    work.abort('cancelled')
    work.abort('timeout')
    const done = await work.finished
    expect(errorOf(done.result).kind).toBe('cancelled')
    expect(done.log).toEqual(['log ready', 'log stopped'])
    await at.run(task, { do: 'hello', word: 'next' })
    expect(done.done()).toBe(1)
  })

  it('[R-57] answers once when it is aborted before it has a child, and the next one gets the child', async () => {
    await using at = await createRunnerFixture({ tasks, limits: { maxChildren: 1 } })
    const first = at.start(task, { do: 'waits' })
    await first.firstLine
    const second = at.start(task, { do: 'hello', word: 'second' })
    const third = at.start(task, { do: 'hello', word: 'third' })
    second.abort('cancelled')
    expect(errorOf((await second.finished).result).kind).toBe('cancelled')
    first.abort('cancelled')
    expect(errorOf((await first.finished).result).kind).toBe('cancelled')
    expect(outputsOf((await third.finished).result)['said']).toBe('third')
  })

  it('never answers inside the dispatch', async () => {
    await using at = await createRunnerFixture({ tasks })
    for (const type of ['noop', 'nothing', 'fail', task]) {
      let inside = true
      const seen = await new Promise<boolean>((resolve) => {
        at.runner.dispatch(
          {
            executionId: 'e',
            pipelineId: 'p',
            nodeId: 'n',
            generation: 1,
            item: null,
            attempt: 1,
            token: 1,
            idempotencyKey: 'k',
            task: type,
            input: { do: 'hello', word: 'a' },
            timeoutMs: null,
          },
          {
            begun: () => undefined,
            progress: () => undefined,
            log: () => undefined,
            done: () => resolve(inside),
          },
        )
        inside = false
      })
      expect(seen, type).toBe(false)
    }
  })

  it('loses what runs, waits or comes later when it stops, and leaves no process and no folder', async () => {
    const at = await createRunnerFixture({ tasks, limits: { maxChildren: 1 } })
    const running = at.start(task, { do: 'spin' })
    const pid = pidIn(await running.firstLine)
    const waiting = at.start(task, { do: 'hello', word: 'a' })
    await at.runner.stop()
    const late = at.start('noop', {})
    for (const work of [running, waiting, late]) {
      expect((await work.finished).result).toEqual({ ok: 'lost', reason: 'the server is shutting down' })
    }
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(at.workRoot)).toBe(true)
    await at[Symbol.asyncDispose]()
  })

  it('ends what a child has started together with the child', async () => {
    await using at = await createRunnerFixture({ tasks })
    const work = at.start(task, { do: 'grandchild' })
    const pid = pidIn(await work.firstLine)
    expect(isAlive(pid)).toBe(true)
    work.abort('cancelled')
    await work.finished
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false)
  })

  it(
    'leaves no child behind when the server is killed, idle, waiting or spinning',
    { timeout: 30_000 },
    async () => {
      await using at = await createRunnerFixture({ tasks })
      const parent = await buildModule(
        at.folder,
        `import { createRunner } from '@/server/runner/runner'
       const runner = createRunner({
         childEntry: new URL(process.argv[2]), filesDir: process.argv[3], workRoot: process.argv[4], artifacts: null,
         egress: {}, disabledTasks: new Map(), clock: { now: () => Date.now(), at: () => () => {}, after: () => () => {}, defer: setImmediate }, limits: { maxChildren: 4, warmChildren: 4 } })
       for (const work of ['spin', 'waits', 'grandchild']) runner.dispatch(
         { executionId: 'e', pipelineId: 'p', nodeId: work, generation: 1, item: null, attempt: 1, token: 1, idempotencyKey: work,
           task: 'script.javascript', input: { do: work, memory: '1024Mi' }, timeoutMs: null },
         { begun() {}, progress() {}, done() {}, log: (stream, text) => console.log(text) })`,
      )
      const server = spawn(
        process.execPath,
        [fileURLToPath(parent), at.childEntry.href, at.filesDir, join(at.folder, 'other')],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      let text = ''
      server.stdout.on('data', (chunk) => (text += String(chunk)))
      await expect.poll(() => text.match(/pid [0-9]+/g)?.length, { timeout: 15_000 }).toBe(3)
      const named = (text.match(/pid [0-9]+/g) ?? []).map(pidIn)
      const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .map(Number)
      expect(children).toHaveLength(4)
      server.kill('SIGKILL')
      await expect
        .poll(() => [...new Set([...named, ...children])].filter(isAlive), { timeout: 10_000 })
        .toEqual([])
    },
  )
})

describe('tasks of the server', () => {
  it('runs thousands of them in a second', async () => {
    await using at = await createRunnerFixture({ tasks })
    const started = performance.now()
    for (let n = 0; n < 5_000; n += 1) await at.run('noop', {})
    expect(performance.now() - started).toBeLessThan(2_500)
  })

  it('[R-57] answers once after an abort', async () => {
    await using at = await createRunnerFixture({ tasks })
    const work = at.start('file.write', { path: 'a.txt', content: 'a' })
    work.abort('timeout')
    const done = await work.finished
    expect(errorOf(done.result).kind).toBe('timeout')
    await at.run('file.write', { path: 'b.txt', content: 'b' })
    expect(done.done()).toBe(1)
  })
})
