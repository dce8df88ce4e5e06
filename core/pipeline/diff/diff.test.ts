import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePipeline } from '@/core/pipeline/definition/compile'
import {
  pipelineDefinitionSchema,
  type NodeDefinition,
  type PipelineDefinition,
} from '@/core/pipeline/definition/definition'
import { diffDefinitions, type DefinitionDiff, type FieldChange } from './diff'
import { sameJson } from '@/core/pipeline/match'
import type { TaskDescription } from '@/core/pipeline/definition/task-description'
import { withoutDefaults } from './without-defaults'

const started = 'event:pipeline.started'
const node = (id: string, more: Partial<NodeDefinition> = {}): NodeDefinition => ({
  id,
  task: 'noop',
  startWhen: started,
  ...more,
})
const nothing: DefinitionDiff = {
  pipeline: [],
  nodes: { added: [], removed: [], changed: [], moved: [], renamed: [] },
  triggers: { added: [], removed: [], changed: [] },
  notes: { added: [], removed: [], changed: [], moved: [] },
  rehearsals: { added: [], removed: [], changed: [] },
}
const base: PipelineDefinition = {
  id: 'p',
  name: 'P',
  policy: { timeout: '60s' },
  nodes: [
    node('a', { timeout: '5m', retry: { maxAttempts: 3 } }),
    node('b', { startWhen: 'event:a.completed' }),
  ],
  layout: { a: { x: 0, y: 0 }, b: { x: 1, y: 0 } },
}

describe('the difference of two definitions', () => {
  it('is nothing for what is only written otherwise', () => {
    const written: PipelineDefinition = {
      nodes: [
        node('b', {
          startWhen: '(event:a.completed) || event:a.completed',
          priority: 0,
          onLost: 'retry',
          allowFailure: false,
          inputBindings: {},
        }),
        node('a', {
          timeout: 'PT300S',
          retry: { maxAttempts: 3, strategy: 'exponential', delay: '2000ms', maxDelay: '30s', jitter: 0.2 },
          risk: { complexity: 0 },
        }),
      ],
      layout: base.layout,
      policy: { whenFull: 'queue', timeout: '1m', failFast: false, priority: 5 },
      schemaVersion: 1,
      labels: {},
      triggers: [],
      name: 'P',
      id: 'p',
    }
    expect(diffDefinitions(base, written)).toEqual(nothing)
    expect(diffDefinitions(written, base)).toEqual(nothing)
  })

  it('names every field that differs, with what it was and is', () => {
    const after: PipelineDefinition = {
      ...base,
      name: 'Q',
      policy: { timeout: '2m', failFast: true },
      inputs: { s: { type: 'string' } },
      nodes: [
        node('a', { timeout: '5m', retry: { maxAttempts: 4, delay: '10s' }, inputBindings: { x: [1, 2] } }),
        node('c', { startWhen: 'event:a.failed' }),
      ],
      layout: { a: { x: 0, y: 9 }, c: { x: 1, y: 0 } },
    }
    expect(diffDefinitions(base, after)).toEqual({
      ...nothing,
      pipeline: [
        { path: ['name'], before: 'P', after: 'Q' },
        { path: ['policy', 'timeout'], before: '1m', after: '2m' },
        { path: ['policy', 'failFast'], after: true },
        { path: ['inputs'], after: { s: { type: 'string' } } },
      ],
      nodes: {
        ...nothing.nodes,
        added: ['c'],
        removed: ['b'],
        changed: [
          {
            id: 'a',
            fields: [
              { path: ['retry', 'maxAttempts'], before: 3, after: 4 },
              { path: ['retry', 'delay'], after: '10s' },
              { path: ['inputBindings'], after: { x: [1, 2] } },
            ],
          },
        ],
        moved: ['a'],
      },
    })
  })

  it('distinguishes a move from a change, and a renamed node from a new one', () => {
    const moved = { ...base, layout: { a: { x: 0, y: 0 }, b: { x: 2, y: 0 } } }
    expect(diffDefinitions(base, moved)).toEqual({ ...nothing, nodes: { ...nothing.nodes, moved: ['b'] } })
    const renamed = { ...base, nodes: [base.nodes[0]!, { ...base.nodes[1]!, id: 'last' }] }
    expect(
      diffDefinitions(base, { ...renamed, layout: { a: { x: 0, y: 0 }, last: { x: 1, y: 0 } } }),
    ).toEqual({
      ...nothing,
      nodes: { ...nothing.nodes, renamed: [{ from: 'b', to: 'last' }] },
    })
  })

  it('takes triggers and notes by their ids', () => {
    const daily = { id: 'daily', type: 'cron' as const, cron: '0 6 * * *' }
    const hook = { id: 'hook', type: 'webhook' as const, secret: 'secret:s' }
    const note = { id: 'n', text: 'x', x: 0, y: 0 }
    const before = { ...base, triggers: [daily, hook], notes: [note, { ...note, id: 'm' }, note] }
    const after = {
      ...base,
      triggers: [
        { ...hook, enabled: true },
        { ...daily, timezone: 'UTC', cron: '0 7 * * *' },
      ],
      notes: [
        { ...note, x: 5 },
        { ...note, id: 'm', text: 'y' },
      ],
    }
    expect(diffDefinitions(before, after)).toEqual({
      ...nothing,
      triggers: {
        ...nothing.triggers,
        changed: [{ id: 'daily', fields: [{ path: ['cron'], before: '0 6 * * *', after: '0 7 * * *' }] }],
      },
      notes: {
        added: [],
        removed: ['n (2)'],
        changed: [{ id: 'm', fields: [{ path: ['text'], before: 'x', after: 'y' }] }],
        moved: ['n'],
      },
    })
  })

  it('identifies cases by their names, in any order', () => {
    const fails = { name: 'when a fails', plan: { nodes: { a: { failure: {} } } }, expect: {} }
    const waits = { name: 'it waits', plan: {}, expect: { status: 'waiting' } }
    const before = { ...base, rehearsals: [fails, waits, waits] }
    expect(diffDefinitions(before, { ...base, rehearsals: [waits, waits, fails] })).toEqual(nothing)
    expect(diffDefinitions(base, { ...base, rehearsals: [] })).toEqual(nothing)
    const after = {
      ...base,
      rehearsals: [
        { ...waits, expect: {} },
        { ...fails, name: 'new' },
      ],
    }
    expect(diffDefinitions(before, after)).toEqual({
      ...nothing,
      rehearsals: {
        added: ['new'],
        removed: ['when a fails', 'it waits (2)'],
        changed: [{ id: 'it waits', fields: [{ path: ['expect', 'status'], before: 'waiting' }] }],
      },
    })
  })

  it('[R-61] is found in a moment for many nodes with other start conditions', () => {
    const many = (join: string): PipelineDefinition => ({
      ...base,
      nodes: Array.from({ length: 500 }, (_, at) =>
        node(`n${at}`, {
          startWhen: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => `event:${id}.completed`).join(join),
        }),
      ),
    })
    const began = performance.now()
    expect(diffDefinitions(many(' && '), many(' || ')).nodes.changed).toHaveLength(500)
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

const noop = { type: 'noop', input: {}, output: {}, openInputs: true } as unknown as TaskDescription
const durations = fc.constantFrom('60s', '1m', 'PT1M', '2000ms', '2s', '30s', '10m', '600s')
const flags = fc.boolean()
const ids = ['a', 'b', 'c', 'd', 'e']
const gates = fc.constantFrom(
  started,
  `${started} && ${started}`,
  'event:a.completed && event:b.completed',
  'event:b.completed && event:a.completed',
  'event:a.failed || event:external.x',
)
const optional = { requiredKeys: [] }
const nodes = fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1 }).chain((names) =>
  fc.tuple(
    ...names.map((id) =>
      fc
        .record(
          {
            name: fc.constantFrom('x', 'y'),
            timeout: durations,
            priority: fc.constantFrom(0, 1),
            onLost: fc.constantFrom<'retry' | 'fail'>('retry', 'fail'),
            allowFailure: flags,
            finally: flags,
            startWhen: gates,
            inputBindings: fc.dictionary(fc.constantFrom('p', 'q'), fc.constantFrom(1, 'x', null, [1])),
            risk: fc.record({ complexity: fc.constantFrom(0, 0.5), impact: fc.constantFrom(0, 1) }, optional),
            retry: fc.record(
              {
                maxAttempts: fc.constantFrom(1, 2),
                strategy: fc.constantFrom<'risk-adaptive' | 'exponential'>('risk-adaptive', 'exponential'),
                delay: durations,
                maxDelay: durations,
                jitter: fc.constantFrom(0.2, 0.3),
              },
              { requiredKeys: ['maxAttempts'] },
            ),
            forEach: fc.record(
              { items: fc.constant<number[]>([1]), allowFailures: flags },
              { requiredKeys: ['items'] },
            ),
          },
          { requiredKeys: ['startWhen'] },
        )
        .map((rest): NodeDefinition => ({ id, task: 'noop', ...rest })),
    ),
  ),
)
const input = fc.record(
  { type: fc.constant('string' as const), default: fc.constant('x'), required: flags },
  { requiredKeys: ['type'] },
)
const definitions: fc.Arbitrary<PipelineDefinition> = fc
  .record(
    {
      id: fc.constant('p'),
      nodes,
      schemaVersion: fc.constant(1 as const),
      name: fc.constantFrom('x', 'y'),
      labels: fc.dictionary(fc.constantFrom('k'), fc.constantFrom('v')),
      inputs: fc.dictionary(fc.constantFrom('i', 'j'), input),
      policy: fc.record({ failFast: flags, priority: fc.constantFrom(5, 6), timeout: durations }, optional),
      layout: fc.dictionary(fc.constantFrom(...ids), fc.record({ x: fc.nat(1), y: fc.constant(0) })),
      triggers: fc.uniqueArray(
        fc.record(
          {
            id: fc.constantFrom('t', 'u'),
            type: fc.constant('cron' as const),
            cron: fc.constantFrom('0 6 * * *', '0 7 * * *'),
            timezone: fc.constantFrom('UTC', 'Asia/Tokyo'),
            missed: fc.constantFrom<'latest' | 'all'>('latest', 'all'),
            enabled: flags,
          },
          { requiredKeys: ['id', 'type', 'cron'] },
        ),
        { selector: ({ id }) => id },
      ),
    },
    { requiredKeys: ['id', 'nodes'] },
  )
  .map((written) => pipelineDefinitionSchema.parse(structuredClone(JSON.parse(JSON.stringify(written)))))

/** Sets what is named and nothing else. */
function applied(value: object, fields: readonly FieldChange[]): object {
  const result = structuredClone(value) as Record<string, unknown>
  for (const { path, ...change } of fields) {
    let at = result
    for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>
    const last = String(path.at(-1))
    if ('after' in change) at[last] = change.after
    else delete at[last]
  }
  return result
}

function patchedMembers<T extends { id: string }>(
  old: readonly T[] = [],
  now: readonly T[] = [],
  { added, removed, changed }: Pick<DefinitionDiff['triggers'], 'added' | 'removed' | 'changed'>,
): T[] {
  const kept = old.filter(({ id }) => !removed.includes(id))
  const patched = kept.map((one) => applied(one, changed.find(({ id }) => id === one.id)?.fields ?? []) as T)
  return [...patched, ...now.filter(({ id }) => added.includes(id))].toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  )
}

/** `before` with the changes that a difference names; of `after` only what was added is taken, and where things stand. */
function patched(before: PipelineDefinition, after: PipelineDefinition, diff: DefinitionDiff): object {
  const { nodes: members, triggers, ...rest } = withoutDefaults(before)
  const now = withoutDefaults(after)
  const names = new Map(diff.nodes.renamed.map(({ from, to }) => [from, to]))
  const renamed = members.map((one) => ({ ...one, id: names.get(one.id) ?? one.id }))
  return {
    ...applied({ ...rest, layout: undefined }, diff.pipeline),
    nodes: patchedMembers(renamed, now.nodes, diff.nodes),
    triggers: patchedMembers(triggers, now.triggers, diff.triggers),
  }
}

/** What `patched` should give: gates in a form in which equal ones are one. */
function normal(definition: PipelineDefinition): object {
  const { nodes: members, triggers, ...rest } = withoutDefaults(definition)
  return { ...rest, layout: undefined, nodes: sorted(members), triggers: sorted(triggers ?? []) }
}

function sorted<T extends { id: string }>(members: readonly T[]): T[] {
  return members.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const gateForms: Record<string, string> = {
  [`${started} && ${started}`]: started,
  'event:b.completed && event:a.completed': 'event:a.completed && event:b.completed',
}

function oneForm(value: object): object {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    key === 'startWhen' ? (gateForms[String(member)] ?? member) : member,
  ) as object
}

describe('the difference of any two definitions', () => {
  it('is nothing between a definition and itself, whatever is written out', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        expect(diffDefinitions(definition, definition)).toEqual(nothing)
        expect(diffDefinitions(definition, withoutDefaults(definition))).toEqual(nothing)
        const otherwise = oneForm({
          ...definition,
          nodes: definition.nodes.toReversed(),
        }) as PipelineDefinition
        expect(diffDefinitions(definition, otherwise)).toEqual(nothing)
      }),
      { numRuns: 300 },
    )
  })

  it('gives the other definition when it is carried out', () => {
    fc.assert(
      fc.property(definitions, definitions, (before, after) => {
        const diff = diffDefinitions(before, after)
        expect(sameJson(oneForm(patched(before, after, diff)), oneForm(normal(after)))).toBe(true)
        const back = diffDefinitions(after, before)
        expect([...back.nodes.added].toSorted()).toEqual([...diff.nodes.removed].toSorted())
        expect(sameJson(diff, nothing)).toBe(sameJson(back, nothing))
      }),
      { numRuns: 500 },
    )
  })

  it('leaves out only what compiles to the same', () => {
    const options = { revision: 1, tasks: new Map([['noop', noop]]) }
    const compiled = (definition: PipelineDefinition) => {
      const result = compilePipeline(definition, options)
      if (!result.ok) return result.issues.map(({ path, code }) => ({ path, code }))
      const { nodes: parts, failFast, priority, timeoutMs, triggers, runsLimit } = result.pipeline
      return JSON.parse(
        JSON.stringify([
          [...parts].map(([id, { definition: _, contract: _contract, ...rest }]) => [id, rest]),
          [...triggers],
          { failFast, priority, timeoutMs, runsLimit },
        ]),
      ) as unknown
    }
    fc.assert(
      fc.property(definitions, (generated) => {
        // Risk is refused where no retry is adapted to it.
        const parts = generated.nodes.map((one) =>
          one.retry?.strategy === 'risk-adaptive' ? one : { ...one, risk: undefined },
        )
        const definition = { ...generated, nodes: parts }
        expect(compiled(withoutDefaults(definition))).toEqual(compiled(definition))
      }),
      { numRuns: 200 },
    )
  })
})
