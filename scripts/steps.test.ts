import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const scripts = resolve(import.meta.dirname)

describe('the steps of a start', () => {
  let checkout = ''

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'penstock-steps-'))
    mkdirSync(join(checkout, 'scripts'))
    cpSync(join(scripts, 'steps.mjs'), join(checkout, 'scripts/steps.mjs'))
  })
  afterEach(() => rmSync(checkout, { recursive: true, force: true }))

  /** Starts a process that runs `body` with the steps of this checkout in scope. */
  function start(body: string) {
    const program = `import * as steps from './scripts/steps.mjs'; import fs from 'node:fs'; ${body}`
    return spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: checkout,
      stdio: 'inherit',
    })
  }

  it('are taken by one command at a time', async () => {
    // each reads a counter, lets go of the thread, and writes it back: overlapping turns would lose one
    const body = `await steps.alone(async () => {
      const count = Number(fs.readFileSync('count', 'utf8'))
      await new Promise((turn) => setImmediate(turn))
      fs.writeFileSync('count', String(count + 1))
    })`
    writeFileSync(join(checkout, 'count'), '0')
    const codes = await Promise.all(
      Array.from({ length: 4 }, async () => (await once(start(body), 'exit'))[0] as number),
    )
    expect(codes).toEqual([0, 0, 0, 0])
    expect(readFileSync(join(checkout, 'count'), 'utf8')).toBe('4')
    expect(existsSync(join(checkout, 'dist/.lock'))).toBe(false)
  })

  it('are taken over from a command that was killed', async () => {
    const holder = start(`await steps.alone(async () => {
      fs.writeFileSync('held', '')
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
    })`)
    expect(await once(holder, 'exit')).toEqual([null, 'SIGKILL'])
    expect(existsSync(join(checkout, 'dist/.lock'))).toBe(true)
    expect(await once(start('await steps.alone(async () => {})'), 'exit')).toEqual([0, null])
    expect(existsSync(join(checkout, 'dist/.lock'))).toBe(false)
  })

  it('are done again when a source changed, when a test changed not, and after a failure', () => {
    mkdirSync(join(checkout, 'core'))
    const runStep = (fails = false) => {
      const body = `import { fingerprint, whenChanged } from './scripts/steps.mjs'
        await whenChanged('x', fingerprint(['core', 'absent']), false, async () => {
          process.stdout.write('worked')
          ${fails ? 'process.exit(3)' : ''}
        })`
      return spawnSync(process.execPath, ['--input-type=module', '-e', body], {
        cwd: checkout,
        encoding: 'utf8',
      }).stdout
    }
    writeFileSync(join(checkout, 'core/a.ts'), '1')
    expect([runStep(), runStep()]).toEqual(['worked', ''])
    writeFileSync(join(checkout, 'core/a.test.ts'), '1')
    expect(runStep()).toBe('')
    writeFileSync(join(checkout, 'core/a.ts'), '2')
    expect([runStep(true), runStep(), runStep()]).toEqual(['worked', 'worked', ''])
  })
})
