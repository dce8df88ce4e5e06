import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { taskCatalog } from '@/core/tasks/catalog'
import { createEgress } from '@/server/egress/client'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'
import { childTaskNeeds } from './child-task-needs'
import { childTasks } from './child-tasks'
import { serverTasks } from './server-tasks'

let at: RunnerFixture
beforeAll(async () => {
  at = await createRunnerFixture()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
})

describe('completeness', () => {
  it('has an implementation for every contract, where the contract says, and for nothing else', () => {
    const placed = (placement: string) =>
      [...taskCatalog.values()].filter((contract) => contract.placement === placement).map(({ type }) => type)
    expect([...serverTasks(createEgress({ allow: [] })).keys()].sort()).toEqual(placed('server').sort())
    expect([...childTasks.keys()].sort()).toEqual(placed('child').sort())
    expect([...childTaskNeeds.keys()].sort()).toEqual(placed('child').sort())
  })

  it('returns the outputs that the contract declares', async () => {
    const declared = (type: string) => Object.keys(taskCatalog.get(type)?.output ?? {}).sort()
    const inputs = {
      'script.javascript': { code: 'return 1' },
      'duckdb.query': { sql: 'select 1' },
      'chart.render': { spec: { mark: 'bar' }, data: [] },
      'file.write': { path: 'a', content: 'a' },
      noop: {},
      log: { message: 'a' },
    }
    for (const [type, input] of Object.entries(inputs)) {
      expect(Object.keys(outputsOf(await at.run(type, input))).sort(), type).toEqual(declared(type))
    }
  })

  it('accepts what the contracts give as examples', async () => {
    for (const [type, files] of [
      ['script.javascript', {}],
      ['chart.render', {}],
      ['file.write', {}],
      ['set', {}],
      ['log', {}],
      [
        'duckdb.query',
        {
          sql: 'select * from read_csv_auto($file) where precipitation > $least',
          files: { file: 'samples/seattle-weather.csv' },
        },
      ],
    ] as const) {
      const example = taskCatalog.get(type)?.example as JsonObject
      outputsOf(await at.run(type, { ...example, ...files }))
    }
  })
})

describe('file.write and the tasks of the server', () => {
  it('makes an artifact of text and of JSON', async () => {
    const outputs = outputsOf(
      await at.run('file.write', { path: 'weather/report.html', content: '<h1>ä</h1>' }),
    )
    expect(outputs).toMatchObject({
      path: 'weather/report.html',
      bytes: 11,
      artifact: { name: 'weather/report.html', content_type: 'text/html; charset=utf-8', bytes: 11 },
    })
    expect(await at.textOf(outputs['artifact'])).toBe('<h1>ä</h1>')
    const json = outputsOf(await at.run('file.write', { path: 'a.json', content: { a: [1] } }))
    expect(JSON.parse(await at.textOf(json['artifact']))).toEqual({ a: [1] })
  })

  it('refuses paths that leave the folder and content types that are none', async () => {
    for (const path of [
      '../a',
      '/a',
      'a/../../b',
      'a\\b',
      'a\0b',
      '',
      'a//b',
      'a\nb',
      'x'.repeat(256),
      '\ud800',
      3,
    ]) {
      expect(errorOf(await at.run('file.write', { path, content: 'x' })).kind, String(path)).toBe(
        'invalid_input',
      )
    }
    for (const contentType of ['html', 'text/html\r\nset-cookie: a', '']) {
      const result = await at.run('file.write', { path: 'a', content: 'x', content_type: contentType })
      expect(errorOf(result).kind).toBe('invalid_input')
    }
  })

  it('gives back what set was given, logs, fails as asked and does nothing', async () => {
    expect(outputsOf(await at.run('set', { a: 1, b: { $file: '/etc/passwd' } }))).toEqual({
      a: 1,
      b: { $file: '/etc/passwd' },
    })
    expect(outputsOf(await at.run('noop', {}))).toEqual({})
    const done = await at.start('log', { message: 'hello', level: 'warn' }).finished
    expect(done.log).toEqual(['log warn: hello'])
    expect(errorOf(await at.run('fail', { message: 'no', kind: 'too_wet' }))).toEqual({
      kind: 'too_wet',
      message: 'no',
    })
    expect(errorOf(await at.run('fail', { message: 'no' }))).toEqual({ kind: 'task_failed', message: 'no' })
    expect(errorOf(await at.run('constructor', {})).kind).toBe('invalid_input')
  })

  it('[R-61] refuses outputs of the server that are too large', async () => {
    const error = errorOf(await at.run('set', { a: 1, big: 'x'.repeat(16 * 1024 * 1024) }))
    expect(error).toMatchObject({ kind: 'output_too_large', detail: { output: 'big' } })
    const many = Object.fromEntries(Array.from({ length: 34 }, (_, n) => [`v${n}`, 'x'.repeat(1_000_000)]))
    expect(errorOf(await at.run('set', many))).toMatchObject({
      kind: 'output_too_large',
      detail: { output: null },
    })
  })

  it('leaves no folder of an attempt behind', async () => {
    const [home] = await readdir(at.workRoot)
    expect(await readdir(join(at.workRoot, home ?? ''))).toEqual([])
  })
})
