import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { createEgress } from '@/server/egress/client'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'
import { childTaskNeeds } from './child-needs'
import { childTasks } from './child-runs'
import { taskCatalog } from './contracts'
import { taskIcons } from './icons'
import { serverTasks } from './server-runs'

let at: RunnerFixture
beforeAll(async () => {
  at = await createRunnerFixture()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
})

/** What the catalogs say of a type, and so what its folder has. */
const parts = [...taskCatalog.values()].map(({ type, placement }) => ({
  type,
  files: [
    'contract.ts',
    'icon.ts',
    ...(placement === 'engine' ? [] : ['run.ts']),
    ...(placement === 'child' ? ['needs.ts'] : []),
  ],
}))

describe('the folders', () => {
  it('are one for each type of the catalog, beside what they share', async () => {
    const entries = await readdir(import.meta.dirname, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(folders.sort()).toEqual([...taskCatalog.keys(), 'support'].sort())
  })

  it.each(parts)('$type has its $files, and a test', async ({ type, files }) => {
    const found = await readdir(join(import.meta.dirname, type))
    for (const part of ['contract.ts', 'icon.ts', 'run.ts', 'needs.ts']) {
      expect(found.includes(part), part).toBe(files.includes(part))
    }
    expect(found.some((name) => name.endsWith('.test.ts'))).toBe(true)
  })

  it('every catalog has all of its types and no other', () => {
    const at = (placement: string) =>
      [...taskCatalog.values()].filter((contract) => contract.placement === placement).map(({ type }) => type)
    expect([...serverTasks(createEgress({ allow: [] })).keys()].sort()).toEqual(at('server').sort())
    expect([...childTasks.keys()].sort()).toEqual(at('child').sort())
    expect([...childTaskNeeds.keys()].sort()).toEqual(at('child').sort())
    expect([...taskIcons.keys()].sort()).toEqual([...taskCatalog.keys()].sort())
  })

  it.each([...taskCatalog])('%s stands under its own name, with the icon that it draws', (type, contract) => {
    expect(contract.type).toBe(type)
    const drawn = taskIcons.get(type)?.face.displayName ?? ''
    expect(contract.icon).toBe(drawn.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase())
  })
})

describe('runs', () => {
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

describe('tasks of the server', () => {
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
    const [own] = await readdir(at.workRoot)
    expect(await readdir(join(at.workRoot, own ?? ''))).toEqual([])
  })
})
