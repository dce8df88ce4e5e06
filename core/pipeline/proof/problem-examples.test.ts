import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { taskCatalog } from '@/tasks/contracts'
import { checkDefinition } from '@/core/pipeline/check/check'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { parseYaml } from '@/core/pipeline/yaml/yaml'

const folder = fileURLToPath(new URL('../../../examples/problems/', import.meta.url))

function read(name: string): PipelineDefinition {
  const parsed = parseYaml(readFileSync(`${folder}${name}.yaml`, 'utf8'))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value as PipelineDefinition
}

const check = (written: unknown) => checkDefinition(written, { tasks: taskCatalog, maxNodes: 10 })

type Severity = 'error' | 'warning' | 'info'
/** What mends each example; where a fix is offered, it is this one. */
type Mend = (definition: PipelineDefinition) => string | undefined

const examples: Readonly<Record<string, readonly [code: string, Severity, Mend]>> = {
  misspelt_event: ['unknown_event', 'error', ({ nodes }) => (nodes[1]!.startWhen = 'event:load.completed')],
  unknown_event: [
    'unknown_event',
    'error',
    ({ nodes }) => {
      nodes[1]!.startWhen = 'event:external.warehouse.filled'
      return undefined
    },
  ],
  cycle: [
    'cycle',
    'error',
    ({ nodes }) => {
      nodes[1]!.startWhen = 'event:begin.completed'
      return undefined
    },
  ],
  never_starts: [
    'never_starts',
    'warning',
    ({ nodes }) => (nodes[3]!.startWhen = 'event:publish.completed || event:keep.completed'),
  ],
  always_starts: ['always_starts', 'warning', ({ nodes }) => (nodes[1]!.startWhen = 'event:load.completed')],
  constant_condition: [
    'constant_condition',
    'warning',
    ({ nodes }) => (nodes[1]!.startWhen = 'event:load.completed'),
  ],
  bypassed_approval: [
    'bypassed_approval',
    'warning',
    ({ nodes }) => (nodes[2]!.startWhen = 'event:gate.approved && event:build.completed'),
  ],
  unreached_handler: [
    'unreached_handler',
    'info',
    ({ nodes }) => {
      nodes[2]!.startWhen = 'event:publish.failed || event:load.failed'
      return undefined
    },
  ],
  may_be_missing: [
    'may_be_missing',
    'warning',
    ({ nodes }) => {
      nodes[2]!.inputBindings = { message: "{{ has(fresh.rows) ? 'fresh' : 'previous' }}" }
      return undefined
    },
  ],
  unset_output: [
    'unset_output',
    'warning',
    ({ outputs }) => {
      outputs!['rows']!.value = '{{ has(fast.rows) ? fast.rows : full.rows }}'
      return undefined
    },
  ],
  unused_input: [
    'unused_input',
    'info',
    (definition) => {
      delete definition.inputs
      return undefined
    },
  ],
  not_compensated: [
    'not_compensated',
    'warning',
    ({ nodes }) => {
      nodes[0]!.rollback = { irreversible: true }
      return undefined
    },
  ],
}

describe('the examples of problems', () => {
  it('has one example for each problem', () => {
    const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''))
    expect(names.toSorted()).toEqual(Object.keys(examples).toSorted())
  })

  it.each(Object.entries(examples))(
    '[G-4] %s is told of its example, and not when it is mended',
    (name, [code, severity, mend]) => {
      const { findings } = check(read(name))
      expect(findings).toMatchObject([{ code, severity }])
      const better = structuredClone(read(name))
      const value = mend(better)
      expect(findings[0]?.fix?.value).toBe(value)
      expect(check(better).findings).toEqual([])
    },
  )

  it('tells it in words, with a run that shows it', () => {
    const reportedOn = (name: string) =>
      check(read(name)).findings.map(({ message, counterExample }) => ({ message, counterExample }))
    expect(reportedOn('never_starts')).toEqual([
      {
        message:
          "'join' can never start: when 'gate' is approved, 'publish' completes and 'keep' is skipped, it is skipped",
        counterExample: [
          { node: 'gate', outcome: 'approved' },
          { node: 'publish', outcome: 'completed' },
          { node: 'keep', outcome: 'skipped' },
        ],
      },
    ])
    expect(reportedOn('bypassed_approval')).toEqual([
      {
        message: "'publish' can start without the approval of 'gate': when 'gate' is rejected",
        counterExample: [{ node: 'gate', outcome: 'rejected' }],
      },
    ])
    expect(reportedOn('may_be_missing')).toEqual([
      {
        message: "'fresh.rows' may be missing: 'report' starts also when 'fresh' fails",
        counterExample: [{ node: 'fresh', outcome: 'failed' }],
      },
    ])
    expect(reportedOn('unreached_handler')[0]?.counterExample).toEqual([
      { node: 'load', outcome: 'failed' },
      { node: 'publish', outcome: 'skipped' },
      { node: 'alert', outcome: 'skipped' },
    ])
  })

  it('tells the nodes of a cycle', () => {
    expect(check(read('cycle')).findings).toMatchObject([
      { message: 'nodes wait for each other: load → clean → load', nodes: ['load', 'clean'] },
    ])
  })
})
