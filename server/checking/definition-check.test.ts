import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringifyYaml } from '@/core/pipeline/yaml/yaml'
import { removeFolder, temporaryFolder } from '@/server/store/contract-fixtures'
import { buildModule } from '@/testing/build-module'
import { checkDocument } from './check-document'
import { createDefinitionCheck } from './definition-check'

const settings = { maxNodes: 500, disabledTasks: new Map([['shell', 'PENSTOCK_ALLOW_SHELL']]) }

/** So many nodes in a chain, each with as many characters of text. */
const pipeline = (count: number, characters: number, more: object = {}) => ({
  ...{ schemaVersion: 1, id: 'large', name: 'Large' },
  nodes: Array.from({ length: count }, (_, at) => ({
    id: `n${at}`,
    task: 'set',
    startWhen: at === 0 ? 'event:pipeline.started' : `event:n${at - 1}.completed`,
    inputBindings: { values: { text: `line ${at} `.repeat(characters / 8), n: `{{ ${at} + 1 }}` } },
  })),
  ...more,
})

describe('definitions are checked', () => {
  let folder = ''
  let entry: URL
  beforeAll(async () => {
    folder = temporaryFolder()
    entry = await buildModule('node_modules/.cache/penstock', "import '@/server/checking/worker'")
  })
  afterAll(() => removeFolder(folder))

  it.each<[string, { definition?: unknown; yaml?: string }]>([
    ['valid JSON', { definition: pipeline(100, 2_000) }],
    ['valid YAML', { yaml: stringifyYaml(pipeline(100, 2_000)) }],
    [
      'with mistakes',
      {
        definition: pipeline(100, 2_000, {
          nods: 1,
          nodes: [{ id: 'a', task: 'shell' }],
          description: 'x'.repeat(200_000),
        }),
      },
    ],
    ['of another tool', { yaml: `jobs: { a: { runs-on: x } }\ntext: ${'x'.repeat(200_000)}` }],
    ['no definition at all', { definition: Array.from({ length: 100_000 }, () => 1) }],
    ['broken YAML', { yaml: `id: [\n${'# x\n'.repeat(50_000)}` }],
  ])('in the thread as in the event loop: %s', async (_name, document) => {
    const check = createDefinitionCheck(entry, settings)
    try {
      const checked = await check.check(document)
      expect(checked).toEqual(checkDocument(document, settings))
      if (checked.ok && document.definition !== undefined) expect(checked.value).toBe(document.definition)
      if (checked.ok && checked.verdict.valid) expect(checked.verdict.definition).toBe(checked.value)
    } finally {
      await check.close()
    }
  })

  it('[R-61] one of 4 MB keeps nobody else waiting', async () => {
    const document = { yaml: stringifyYaml(pipeline(500, 8_000)) }
    expect(document.yaml.length).toBeGreaterThan(4_000_000)
    const began = performance.now()
    checkDocument(document, settings)
    const blocked = performance.now() - began

    const check = createDefinitionCheck(entry, settings)
    // The thread is there already, as on a server that has checked one before.
    await check.check({ definition: pipeline(100, 2_000) })
    let [last, longest] = [performance.now(), 0]
    const tick = () => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
    const timer = setInterval(tick, 1)
    try {
      const checked = await check.check(document)
      tick()
      expect(checked).toMatchObject({ ok: true, verdict: { valid: true } })
      expect(longest, `the event loop stood still; in it the check takes ${blocked} ms`).toBeLessThan(
        blocked / 2,
      )
    } finally {
      clearInterval(timer)
      await check.close()
    }
  }, 60_000)

  it('one after another, each with its own answer; what is small does not wait for them', async () => {
    const check = createDefinitionCheck(entry, settings)
    try {
      const names = ['one', 'two', 'three']
      const answers = names.map((name) => check.check({ definition: pipeline(100, 2_000, { name }) }))
      expect(await check.check({ definition: pipeline(1, 8) })).toMatchObject({
        ok: true,
        verdict: { valid: true },
      })
      const found = (await Promise.all(answers)).map((one) => (one.ok ? one.value : null))
      expect(found).toMatchObject(names.map((name) => ({ name })))
    } finally {
      await check.close()
    }
  })

  it('a thread that ends or breaks fails the one check, and the next gets another thread', async () => {
    const source = `
      import { parentPort } from 'node:worker_threads'
      import { existsSync, writeFileSync } from 'node:fs'
      const seen = ${JSON.stringify(`${folder}/seen`)}
      if (existsSync(seen)) await import('@/server/checking/worker')
      else parentPort.once('message', () => { writeFileSync(seen, ''); process.exit(3) })`
    const check = createDefinitionCheck(await buildModule('node_modules/.cache/penstock', source), settings)
    try {
      const document = { definition: pipeline(100, 2_000) }
      await expect(check.check(document)).rejects.toThrow(/ended \(3\)/)
      expect(await check.check(document)).toMatchObject({ ok: true, verdict: { valid: true } })
    } finally {
      await check.close()
    }
  })
})
