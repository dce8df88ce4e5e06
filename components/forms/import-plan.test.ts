import { describe, expect, it } from 'vitest'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { planImport } from './import-plan'

const none = async () => null
const start = 'event:pipeline.started'
const definition: PipelineDefinition = {
  schemaVersion: 1,
  id: 'greet',
  name: 'Greet',
  nodes: [{ id: 'a', task: 'noop', startWhen: start }],
}
const yaml = `# Greets.\nid: greet\nname: Greet # all\nnodes:\n  - { id: a, task: noop, startWhen: ${start} }\n`

describe('the plan of an import', () => {
  it('distinguishes a new pipeline from changes of an existing one', async () => {
    expect(await planImport(yaml, none)).toMatchObject({ kind: 'new', id: 'greet', nodes: 1, diff: null })
    const before = { ...definition, name: 'Before' }
    const plan = await planImport(yaml, async (id) => (id === 'greet' ? before : null))
    expect(plan).toMatchObject({ kind: 'change', diff: { pipeline: [{ path: ['name'], after: 'Greet' }] } })
  })

  it('comes under the id that is wanted, comments and all', async () => {
    const plan = await planImport(yaml, async () => definition, 'other')
    expect(plan).toMatchObject({ kind: 'change', id: 'other', text: yaml.replace('id: greet', 'id: other') })
  })

  it('comes under an id of one’s own where it has none, or one that nobody can have', async () => {
    for (const own of ['', 'id: Not An Id\n']) {
      const plan = await planImport(yaml.replace('id: greet\n', own), none, 'mine')
      expect(plan).toMatchObject({ kind: 'new', id: 'mine', text: expect.stringMatching(/^id: mine$/m) })
    }
    const refused = await planImport(yaml, none, 'Not An Id')
    expect(refused).toMatchObject({ kind: 'blocked', issues: [{ code: 'invalid_id' }] })
  })

  it('names the tool of a document that is no pipeline', async () => {
    const plan = await planImport('on: push\njobs: { test: { runs-on: ubuntu-latest } }', none)
    expect(plan).toMatchObject({
      kind: 'blocked',
      issues: [{ code: 'foreign_document', message: expect.stringContaining('GitHub Actions') }],
    })
  })

  it('is blocked with every mistake at once, and hints for what other systems say', async () => {
    const foreign =
      'id: x\nnodes:\n  - id: a\n    task: bash\n    depends_on: [b]\n  - id: a\n    task: noop\n'
    const plan = await planImport(foreign, none)
    if (plan.kind !== 'blocked') throw new Error('was not blocked')
    expect(plan.issues.length).toBeGreaterThan(2)
    expect(plan.issues.some(({ hint }) => hint !== undefined)).toBe(true)
  })

  it.each([
    ['nothing', '\u0000\u0001'],
    ['broken YAML', 'id: [\n'],
    ['broken JSON', '{"id": '],
    ['a word', 'hello'],
    ['<script>', '<script>alert(1)</script>'],
    ['a list', '[1, 2]'],
    ['brackets', '['.repeat(100_000)],
    ['5 MB of words', 'word '.repeat(999_999)],
    ['5 MB of JSON', `{"id": "x", "nodes": [${'1,'.repeat(2_000_000)}1]}`],
    ['more than 5 MB', 'x'.repeat(5_000_001)],
  ])('answers garbage in words: %s', async (_, text) => {
    const plan = await planImport(text, none)
    if (plan.kind !== 'blocked') throw new Error('was not blocked')
    expect(plan.issues[0]?.message).toMatch(/\w+ \w+/)
  })
})
