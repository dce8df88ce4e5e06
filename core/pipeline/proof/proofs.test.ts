import { describe, expect, it } from 'vitest'
import { taskCatalog } from '@/tasks/contracts'
import { S, approval, node, pipeline, set } from '@/testing/definitions'
import { compilePipeline } from '@/core/pipeline/definition/compile'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { Problem } from './problem'
import { proveDefinition } from './proofs'

function prove(written: unknown): Problem[] {
  const compiled = compilePipeline(written as PipelineDefinition, { revision: 1, tasks: taskCatalog })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues))
  return proveDefinition(compiled.pipeline)
}

/** `path: code` of every problem. */
const codes = (written: unknown) => prove(written).map(({ path, code }) => `${path.join('.')}: ${code}`)

describe('gates', () => {
  it('[R-66] [R-70] of a node that can only fail nobody says that it is skipped', () => {
    const written = pipeline([
      set('a', { v: true }),
      node('b', 'event:a.completed'),
      node('c', '{{ a.v }}'),
      node('handler', '{{ a.v }} && event:c.failed && (event:external.x || event:b.failed)'),
    ])
    for (const { code, counterExample } of prove(written))
      if (code === 'unreached_handler')
        expect(counterExample).toContainEqual({ node: 'handler', outcome: 'skipped' })
  })

  it('[R-66] a node whose condition cannot be evaluated fails, and is not skipped for another that is false', () => {
    const written = pipeline(
      [
        set('a', { v: true }),
        node('b', '{{ pipeline.input.f }} && (event:a.completed || !{{ a.v }})'),
        node('handler', 'event:b.failed'),
      ],
      { inputs: { f: { type: 'boolean', default: true } } },
    )
    expect(codes(written)).toEqual([])
  })

  it('[R-69] nothing but a finally node starts in a cancelled run', () => {
    const problems = prove(
      pipeline([
        node('a'),
        node('b', 'event:a.cancelled'),
        node('c', 'event:a.completed || event:a.cancelled'),
      ]),
    )
    expect(problems).toMatchObject([
      { code: 'never_starts', hint: expect.stringContaining('finally: true') as string },
    ])
    expect(codes(pipeline([node('a'), node('b', 'event:a.cancelled', { finally: true })]))).toEqual([])
  })

  it('[R-68] a run ends in one way', () => {
    const clean = (gate: string) => codes(pipeline([node('a'), node('z', gate, { finally: true })]))
    expect(clean('event:pipeline.completed || event:pipeline.failed || event:pipeline.cancelled')).toEqual([])
    expect(clean('event:pipeline.completed && event:pipeline.failed')).toEqual([
      'nodes.1.startWhen: never_starts',
    ])
    expect(clean('event:pipeline.failed && event:a.completed && event:a.failed')).toEqual([])
  })

  it('[R-5] tells the first of a chain that never starts, and nothing that follows from it alone', () => {
    const nodes = [
      node('a'),
      node('b', 'event:a.completed && event:a.failed'),
      node('c', 'event:b.completed'),
      set('d', { v: '{{ b.v }}' }, 'event:b.completed || event:c.completed'),
    ]
    expect(codes(pipeline(nodes))).toEqual(['nodes.1.startWhen: never_starts'])
  })

  it.each<[string, string, boolean]>([
    ['pipeline.input.f', '!pipeline.input.f', true],
    ['pipeline.input.n < 5', 'pipeline.input.n >= 5', true],
    ['pipeline.input.n == 5', '!(pipeline.input.n == 5)', true],
    ["pipeline.input.s == 'x'", 'pipeline.input.s == "y"', true],
    ["pipeline.input.s == 'x'", 'pipeline.input.s == "x"', false],
    ['pipeline.input.n < 5', 'pipeline.input.n < 6', false],
    ['pipeline.input.n < 5', 'pipeline.input.n > 5', false],
  ])('[R-66] {{ %s }} and {{ %s }} exclude each other: %s', (one, other, excluded) => {
    const nodes = [
      node('a', `${S} && {{ ${one} }}`),
      node('b', `${S} && {{ ${other} }}`),
      node('c', 'event:a.completed && event:b.completed'),
    ]
    const inputs = {
      f: { type: 'boolean', default: true },
      n: { type: 'number', default: 1 },
      s: { type: 'string', default: '' },
    }
    const found = codes(pipeline(nodes, { inputs })).filter((code) => code.endsWith('never_starts'))
    expect(found.length === 1).toBe(excluded)
  })

  it('[R-66] a gate that cannot be evaluated fails its node before it starts', () => {
    const nodes = [
      set('a', { v: 1 }),
      node('b', 'event:a.failed && {{ a.v > 1 }}'),
      node('c', 'event:b.failed && !event:b.started'),
    ]
    expect(codes(pipeline(nodes))).not.toContain('nodes.2.startWhen: never_starts')
    expect(codes(pipeline([node('a'), node('b', 'event:a.failed'), nodes[2]]))).toContain(
      'nodes.2.startWhen: never_starts',
    )
  })

  it('[R-67] what only waits is not skipped', () => {
    const nodes = [node('a', 'event:external.x'), node('b', 'event:a.skipped')]
    expect(codes(pipeline(nodes))).toEqual(['nodes.1.startWhen: never_starts'])
    expect(
      codes(pipeline([node('a', 'event:external.x', { startTimeout: '1m' }), node('b', 'event:a.skipped')])),
    ).toEqual([])
  })

  it('[R-11] [R-53] a failFast run skips what its gate lets start', () => {
    const nodes = [node('a'), node('b'), node('c', 'event:a.skipped')]
    expect(codes(pipeline(nodes))).toEqual(['nodes.2.startWhen: never_starts'])
    expect(codes(pipeline(nodes, { policy: { failFast: true } }))).toEqual([])
  })
})

describe('approvals', () => {
  const wait = (gate: string, extra: object = {}) =>
    prove(pipeline([node('a'), approval('ask', 'event:a.completed', extra), node('b', gate)]))

  it.each<[string, string | null]>([
    ['event:ask.approved || event:ask.rejected', 'event:ask.approved'],
    ['event:ask.completed || event:ask.skipped', 'event:ask.completed'],
    ['event:ask.approved || event:ask.waiting', 'event:ask.approved'],
    [
      'event:a.completed && (event:ask.approved || event:ask.failed)',
      'event:a.completed && event:ask.approved',
    ],
    ['event:ask.approved || event:a.completed && {{ system.execution_id != "" }}', null],
  ])('[R-51] %s can start without it', (gate, fix) => {
    const problems = wait(gate)
    expect(problems.map(({ code }) => code)).toContain('bypassed_approval')
    expect(problems[0]?.fix?.value ?? null).toBe(fix)
  })

  it.each([
    'event:ask.approved',
    'event:ask.rejected',
    'event:a.completed && event:ask.completed',
    'event:ask.approved && (event:a.completed || event:a.failed)',
    'event:ask.approved || event:ask.approved && event:a.completed',
  ])('[R-51] %s is what it seems', (gate) => {
    expect(wait(gate)).toEqual([])
  })
})

describe('outputs and variables', () => {
  const required = { outputs: { o: { value: '{{ a.v }}', required: true } } }

  it('[R-36] [R-70] a required output fails the run though the failure is handled or allowed', () => {
    const handled = [set('a', { v: 1 }), node('b', 'event:a.failed')]
    expect(codes(pipeline(handled, required))).toEqual(['outputs.o.value: may_be_missing'])
    expect(codes(pipeline([set('a', { v: 1 }, S, { allowFailure: true })], required))).toEqual([
      'outputs.o.value: may_be_missing',
    ])
    expect(codes(pipeline([set('a', { v: 1 })], required))).toEqual([])
    expect(codes(pipeline(handled, { outputs: { o: { value: '{{ a.v }}' } } }))).toEqual([])
  })

  it('[R-51] an approval tells who decided either way', () => {
    const reader = (gate: string) => [approval('ask'), set('b', { v: '{{ ask.approver }}' }, gate)]
    expect(codes(pipeline(reader('event:ask.rejected')))).toEqual([])
    expect(codes(pipeline(reader('event:ask.failed')))).toEqual(['nodes.1.inputBindings.v: may_be_missing'])
  })

  it('[R-70] the error of a node is there when it has failed', () => {
    const reader = (gate: string) => [node('a'), set('b', { v: '{{ a.error.message }}' }, gate)]
    expect(codes(pipeline(reader('event:a.failed')))).toEqual([])
    expect(codes(pipeline(reader('event:a.failed || event:a.completed')))).toEqual([
      'nodes.1.inputBindings.v: may_be_missing',
    ])
  })
})

describe('however large', () => {
  /** One more pigeon than holes, of which each must have its own: it never comes out, and only trying tells. */
  const pigeons = (holes: number) => {
    const places = Array.from({ length: holes + 1 }, (_, pigeon) =>
      Array.from({ length: holes }, (_, hole) => node(`p${pigeon}h${hole}`)),
    )
    const own = Array.from({ length: holes }, (_, hole) => {
      const pairs = places.flatMap((_, one) =>
        Array.from(
          { length: one },
          (_, other) => `!(event:p${one}h${hole}.completed && event:p${other}h${hole}.completed)`,
        ),
      )
      return node(`hole${hole}`, pairs.join(' && '))
    })
    const all = places.map((row) => `(${row.map(({ id }) => `event:${id}.completed`).join(' || ')})`)
    const last = [...all, ...own.map(({ id }) => `event:${id}.completed`)].join(' && ')
    return pipeline([...places.flat(), ...own, node('last', last)])
  }

  it('[R-61] says nothing rather than search for ever', () => {
    expect(codes(pigeons(2))).toEqual(['nodes.8.startWhen: never_starts'])
    const before = performance.now()
    expect(codes(pigeons(8))).toEqual([])
    expect(performance.now() - before).toBeLessThan(5_000)
  })

  it('[R-61] a chain of five thousand nodes does not exhaust the stack', () => {
    const nodes = Array.from({ length: 5_000 }, (_, at) =>
      set(
        `n${at}`,
        { v: '{{ n0.v }}' },
        at === 0 ? S : `event:n${at - 1}.completed || event:n${at - 1}.skipped`,
      ),
    )
    nodes[0] = set('n0', { v: 1 })
    expect(new Set(prove(pipeline(nodes)).map(({ code }) => code))).toEqual(new Set(['may_be_missing']))
  })
})
