import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { taskCatalog } from '@/tasks/contracts'
import { buildModule } from '@/testing/build-module'
import { isAlive } from '@/testing/processes'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'

let at: RunnerFixture
beforeAll(async () => {
  process.env['PENSTOCK_CANARY'] = 'canary-of-the-server'
  at = await createRunnerFixture()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  delete process.env['PENSTOCK_CANARY']
})

const shell = (input: Parameters<RunnerFixture['run']>[1]) => at.run('shell', input)

describe('a program', () => {
  it('gives back what it printed, and says it in the log while it runs', async () => {
    const done = await at.start('shell', { script: 'echo one; echo two >&2; printf three' }).finished
    expect(outputsOf(done.result)).toEqual({
      exit_code: 0,
      stdout: 'one\nthree',
      stderr: 'two\n',
      artifacts: [],
    })
    expect([...done.log].sort()).toEqual(['stderr two', 'stdout one', 'stdout three'])
    expect(Object.keys(outputsOf(done.result)).sort()).toEqual(
      Object.keys(taskCatalog.get('shell')?.output ?? {}).sort(),
    )
  })

  it('[R-86] refuses half of a character, which would become another in UTF-8', async () => {
    for (const input of [
      { command: ['echo', 'a\ud800'] },
      { script: 'echo \udc00' },
      { script: 'env', env: { A: '\ud800' } },
    ])
      expect(errorOf(await at.run('shell', input)).kind).toBe('invalid_input')
  })

  it('takes every argument as one word, whatever stands in it', async () => {
    const words = [
      'a b',
      '$(id)',
      '`id`',
      '; id',
      '-rf',
      "'",
      '"',
      '\\',
      '*',
      '',
      'ä\nb',
      '{{ a.b }}',
      '&& id',
      '\u202e',
    ]
    const outputs = outputsOf(
      await shell({
        command: [
          process.execPath,
          '-e',
          'console.log(JSON.stringify(process.argv.slice(1)))',
          '--',
          ...words,
        ],
      }),
    )
    expect(JSON.parse(String(outputs['stdout']))).toEqual(words)
  })

  it('runs a script by its first line or by sh; values come by the environment only', async () => {
    const env = { VALUE: '$(echo no); "`', COUNT: 3, FLAG: true }
    const plain = await shell({ script: 'printf "%s|%s|%s" "$VALUE" "$COUNT" "$FLAG"', env })
    expect(outputsOf(plain)['stdout']).toBe('$(echo no); "`|3|true')
    const script = `#!${process.execPath}\nprocess.stdout.write(process.env.VALUE)`
    expect(outputsOf(await shell({ script, env }))['stdout']).toBe(env.VALUE)
    expect(outputsOf(await shell({ script: 'printf "%s" "{{ a.b }}"' }))['stdout']).toBe('{{ a.b }}')
  })

  it('[H-21] finds the trace that it belongs to in its environment, where there is one', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const script = 'printf "%s" "${TRACEPARENT-none}"'
    expect(outputsOf(await at.run('shell', { script }, { traceparent }))['stdout']).toBe(traceparent)
    expect(outputsOf(await shell({ script }))['stdout']).toBe('none')
  })

  it('has nothing of the environment of the server but PATH, and no other descriptor than its three', async () => {
    const seen = outputsOf(await shell({ command: ['env'], env: { MINE: '1' } }))
    const lines = String(seen['stdout']).trim().split('\n')
    expect(lines.map((line) => line.split('=')[0]).sort()).toEqual(['HOME', 'LANG', 'MINE', 'PATH'])
    expect(seen['stdout']).not.toContain('canary')
    expect(lines).toContain(`PATH=${process.env['PATH']}`)
    const parent = outputsOf(await shell({ script: 'cat /proc/$PPID/environ' }))
    expect(parent['stdout']).not.toContain('canary')
    const forged = await shell({
      script: `echo '{"type":"done","id":1,"outputs":{}}' >&3 || true; ls /proc/$$/fd`,
    })
    expect(String(outputsOf(forged)['stdout']).split('\n')).not.toContain('3')
  })

  it('runs in a folder of its own, which is its HOME, with a closed input', async () => {
    const outputs = outputsOf(
      await shell({ script: 'pwd; echo "$HOME"; cat; cd sub 2>/dev/null || echo none' }),
    )
    const [where, home, none] = String(outputs['stdout']).split('\n')
    expect(where).toBe(home)
    expect(where?.startsWith(at.workRoot)).toBe(true)
    expect(none).toBe('none')
    expect(outputsOf(await shell({ command: ['pwd'], cwd: 'a/b' }))['stdout']).toMatch(/\/a\/b\n$/)
  })

  it('fails by its exit code or its signal, with its last words', async () => {
    const error = errorOf(await shell({ script: 'echo out; echo first >&2; echo last >&2; exit 3' }))
    expect(error).toEqual({
      kind: 'task_failed',
      message: 'exit code 3: last',
      detail: { exit_code: 3, signal: null, stdout: 'out\n', stderr: 'first\nlast\n' },
    })
    expect(errorOf(await shell({ script: 'kill -9 $$' }))).toMatchObject({
      kind: 'task_failed',
      message: 'ended by SIGKILL',
      detail: { exit_code: null, signal: 'SIGKILL' },
    })
    expect(errorOf(await shell({ command: ['no-such-program'] })).message).toBe(
      'there is no program "no-such-program"',
    )
    expect(errorOf(await shell({ command: ['/etc/passwd'] })).message).toBe('"/etc/passwd" may not be run')
  })

  it.each([
    [{}, 'either'],
    [{ command: ['a'], script: 'b' }, 'either'],
    [{ command: [] }, 'command'],
    [{ command: 'ls -l' }, 'command'],
    [{ command: [['a']] }, 'command'],
    [{ command: ['a\0b'] }, 'NUL'],
    [{ command: ['env'], env: { 'A-B': '1' } }, 'env'],
    [{ command: ['env'], env: { LD_PRELOAD: '/x' } }, 'code'],
    [{ command: ['env'], env: { BASH_ENV: '/x' } }, 'code'],
    [{ command: ['env'], env: { A: 'a\0b' } }, 'NUL'],
    [{ command: ['pwd'], cwd: '../x' }, 'cwd'],
    [{ command: ['pwd'], cwd: '/etc' }, 'cwd'],
    [{ command: ['pwd'], cwd: 'a/../../b' }, 'cwd'],
    [{ command: ['pwd'], stdin: 'a' }, 'stdin'],
  ] as const)('refuses %j with a word about %s', async (input, word) => {
    const error = errorOf(await shell(input as unknown as Parameters<typeof shell>[0]))
    expect(error.kind).toBe('invalid_input')
    expect(error.message).toContain(word)
  })

  it('[R-61] keeps the last 64 KB, and says what is missing', async () => {
    const outputs = outputsOf(
      await shell({ command: [process.execPath, '-e', 'process.stdout.write("ä".repeat(100_000) + "end")'] }),
    )
    const text = String(outputs['stdout'])
    const [note = '', rest = ''] = text.split('\n')
    expect(note).toBe(`… (${200_003 - 65_536} bytes before)`)
    expect(rest).toMatch(/^ä+end$/)
    expect(Buffer.byteLength(rest)).toBeGreaterThan(65_530)
  })

  it('finds files by variables with their paths: of the folder of files, and artifacts of an earlier node', async () => {
    await writeFile(join(at.filesDir, 'weather.csv'), 'rain\n1\n')
    const made = outputsOf(await shell({ script: 'printf 7 > out/seven.txt' }))['artifacts'] as JsonObject[]
    const files = { ROWS: 'weather.csv', SEVEN: made[0]! }
    const read = await shell({ script: 'cat "$ROWS" "$SEVEN"; cd /; cat "$SEVEN"', files })
    expect(outputsOf(read)['stdout']).toBe('rain\n1\n77')
    const argv = await shell({ command: ['sh', '-c', 'echo "${SEVEN##*/}"'], files })
    expect(outputsOf(argv)['stdout']).toBe('seven.txt\n')
  })

  it('[R-55] gathers the files of many items in a folder', async () => {
    const lists = await Promise.all(
      ['7', '8', '9'].map(
        async (text) =>
          outputsOf(await shell({ script: `printf ${text} > out/part.txt; printf ${text} > out/${text}` }))[
            'artifacts'
          ],
      ),
    )
    const read = await shell({
      script: 'ls "$PARTS"; cat "$PARTS"/*part.txt',
      files: { PARTS: lists as JsonObject[][] },
    })
    expect(outputsOf(read)['stdout']).toBe('1-7\n2-part.txt\n3-8\n4-part.txt\n5-9\n6-part.txt\n789')
  })

  it('refuses files that would become code, that another variable names, or that are not there', async () => {
    await writeFile(join(at.filesDir, 'out'), 'x')
    const refused = async (files: JsonObject, more = {}) =>
      errorOf(await shell({ script: 'true', files, ...more })).message
    expect(await refused({ LD_PRELOAD: 'out' })).toContain('LD_PRELOAD would turn a value into code')
    expect(await refused({ A: 'out' }, { env: { A: '1' } })).toContain('in env or in files')
    expect(await refused({ A: 'absent.csv' })).toContain('is not there')
    expect(await refused({ A: '../secret.key' })).toContain('files.A')
    expect(await refused({ A: { artifact_id: 'nobody' } })).toContain('no such artifact')
    expect(await refused({ A: 'out' })).toContain('the folder "out" cannot be made')
  })

  it('makes artifacts of the files in out/, and not of links', async () => {
    const script = 'mkdir out/a; echo 1 > out/a/b.csv; printf x > out/c; ln -s /etc/passwd out/d'
    const { artifacts } = outputsOf(await shell({ script })) as { artifacts: { name: string }[] }
    expect(artifacts).toMatchObject([
      { name: 'a/b.csv', content_type: 'text/csv; charset=utf-8', bytes: 2 },
      { name: 'c', bytes: 1 },
    ])
    expect(await at.textOf(artifacts[0])).toBe('1\n')
    const many = errorOf(await shell({ script: 'for i in $(seq 1001); do touch out/$i; done' }))
    expect(many.kind).toBe('output_too_large')
  })
})

describe('its end', () => {
  const pidsIn = (log: readonly string[]) =>
    log.map((line) => Number(/ pid ([0-9]+)/.exec(line)?.[1])).filter(Boolean)

  it('[R-57] ends by SIGTERM first when it is cancelled, with everything that it started', async () => {
    const work = at.start('shell', {
      // Its first line is what the cancel waits for.
      script:
        'trap "echo goodbye; exit 0" TERM; sleep 300 & echo pid $!; echo pid $$; while :; do sleep 0.01; done',
    })
    await work.firstLine
    work.abort('cancelled')
    const done = await work.finished
    expect(errorOf(done.result).kind).toBe('cancelled')
    expect(done.log).toContain('stdout goodbye')
    await expect.poll(() => pidsIn(done.log).filter(isAlive), { timeout: 10_000 }).toEqual([])
  })

  it('[R-57] ends by SIGKILL when it does not want to', { timeout: 30_000 }, async () => {
    const work = at.start('shell', {
      script: 'trap "" TERM; sleep 300 & echo pid $!; while :; do sleep 0.1; done',
    })
    await work.firstLine
    work.abort('timeout')
    const done = await work.finished
    expect(errorOf(done.result).kind).toBe('timeout')
    await expect.poll(() => pidsIn(done.log).filter(isAlive), { timeout: 10_000 }).toEqual([])
  })

  it('[R-57] is not tried again before it is dead', async () => {
    const key = { idempotencyKey: 'e1/n/1/twice' }
    const slow = at.start(
      'shell',
      { script: 'trap "sleep 1; exit 0" TERM; echo pid $$; while :; do sleep 0.01; done' },
      key,
    )
    const [pid = 0] = pidsIn([await slow.firstLine])
    slow.abort('timeout')
    const again = at.start('shell', { script: `kill -0 ${pid} 2>/dev/null && echo alive || echo gone` }, key)
    expect(outputsOf((await again.finished).result)['stdout']).toBe('gone\n')
    expect(errorOf((await slow.finished).result).kind).toBe('timeout')
    const cancelled = at.start('shell', { script: 'trap "" TERM; echo here; sleep 300' }, key)
    await cancelled.firstLine
    const waiting = at.start('shell', { script: 'true' }, key)
    waiting.abort('cancelled')
    cancelled.abort('cancelled')
    expect(errorOf((await waiting.finished).result).kind).toBe('cancelled')
  })

  it('leaves nothing behind that it started in the background, and does not wait for it', async () => {
    const done = await at.start('shell', { script: 'sleep 300 & echo pid $!' }).finished
    expect(outputsOf(done.result)['exit_code']).toBe(0)
    expect(pidsIn(done.log)).toHaveLength(1)
    await expect.poll(() => pidsIn(done.log).filter(isAlive), { timeout: 10_000 }).toEqual([])
  })

  it('[R-57] leaves nothing behind that left its process group, done, failed or cancelled', async () => {
    const away =
      'setsid sh -c "echo pid \\$\\$ > away; exec sleep 300" >/dev/null 2>&1 & while [ ! -s away ]; do :; done; cat away;'
    const done = await at.start('shell', { script: `${away} true` }).finished
    const failed = await at.start('shell', { script: `${away} false` }).finished
    const work = at.start('shell', { script: `${away} sleep 300` })
    await work.firstLine
    work.abort('cancelled')
    const pids = [done, failed, await work.finished].flatMap(({ log }) => pidsIn(log))
    expect(pids).toHaveLength(3)
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([])
  })

  it('counts the memory of what it starts', async () => {
    await using small = await createRunnerFixture({ limits: { memoryBytes: 400 * 1024 * 1024 } })
    const fill = 'const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1))'
    const result = await small.run('shell', { command: [process.execPath, '-e', fill] })
    expect(errorOf(result)).toMatchObject({
      kind: 'task_failed',
      message: expect.stringContaining('of memory'),
    })
  })

  it('dies with the server', { timeout: 30_000 }, async () => {
    const parent = await buildModule(
      at.folder,
      `import { createRunner } from '@/server/runner/runner'
       const runner = createRunner({
         childEntry: new URL(process.argv[2]), filesDir: process.argv[3], workRoot: process.argv[4], artifacts: null,
         egress: {}, disabledTasks: new Map(), limits: { warmChildren: 0 },
         clock: { now: () => Date.now(), at: () => () => {}, after: () => () => {}, defer: setImmediate } })
       runner.dispatch(
         { executionId: 'e', pipelineId: 'p', nodeId: 'n', generation: 1, item: null, attempt: 1, token: 1, idempotencyKey: 'k',
           task: 'shell', input: { script: 'trap "" TERM; sh -c "echo pid \\\\$\\\\$; sleep 300" & echo pid $$; wait; sleep 300' },
           deadline: null },
         { begun() {}, progress() {}, done() {}, log: (stream, text) => console.log(stream, text) })`,
    )
    const server = spawn(
      process.execPath,
      [fileURLToPath(parent), at.childEntry.href, at.filesDir, join(at.folder, 'other')],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let text = ''
    server.stdout.on('data', (chunk) => (text += String(chunk)))
    await expect.poll(() => pidsIn(text.split('\n')).length, { timeout: 15_000 }).toBe(2)
    const pids = pidsIn(text.split('\n'))
    expect(pids.every(isAlive)).toBe(true)
    server.kill('SIGKILL')
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([])
  })

  it('leaves no folder of work', async () => {
    await shell({ script: 'touch a; mkdir -p b/c' })
    const [own = ''] = readdirSync(at.workRoot)
    await expect.poll(() => readdirSync(join(at.workRoot, own)), { timeout: 10_000 }).toEqual([])
  })
})
