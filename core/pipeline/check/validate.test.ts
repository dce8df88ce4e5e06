import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { S, approval, codes, node, pipeline, set, validate } from '@/testing/definitions'

describe('a whole definition', () => {
  const weather = pipeline(
    [
      {
        id: 'extract',
        name: 'Read the CSV',
        task: 'duckdb.query',
        inputBindings: {
          sql: 'select * from read_csv($f)',
          files: { f: '{{ pipeline.input.station }}.csv' },
        },
        outputVariables: { rows: '{{ result.row_count }}' },
        startWhen: S,
        phase: 'read',
        estimate: '10s',
        timeout: '5m',
      },
      approval('gate', 'event:extract.completed && {{ extract.rows > 0 }}'),
      {
        id: 'publish',
        task: 'file.write',
        inputBindings: { path: 'out.txt', content: '{{ extract.rows }} rows, {{ gate.comment }}' },
        startWhen: 'event:gate.approved',
        phase: 'write',
      },
      node('clean_up', 'event:pipeline.completed || event:pipeline.failed || event:pipeline.cancelled', {
        finally: true,
      }),
    ],
    {
      schemaVersion: 1,
      name: 'Weather',
      inputs: { station: { type: 'string', default: 'seattle', enum: ['seattle', 'sf'] } },
      outputs: { report: { value: '{{ publish.path }}', required: true } },
      policy: { failFast: false, priority: 5 },
      phases: ['read', 'write'],
      layout: { extract: { x: 0, y: 0 } },
    },
  )

  it('[G-4] is valid and handed back as it was written', () => {
    const result = validate(weather)
    expect(result.issues).toEqual([])
    expect(result.valid).toBe(true)
    expect(result.definition).toBe(weather)
    expect(result.graph).toMatchObject({
      nodes: ['extract', 'gate', 'publish', 'clean_up'],
      levels: [['extract', 'clean_up'], ['gate'], ['publish']],
      criticalPath: ['extract', 'gate', 'publish'],
      durationMs: 12_000,
    })
  })

  it('advises the outputs that a node really has where its name stands alone', () => {
    const hintsOf = (text: string) =>
      validate(
        pipeline([
          set('prepare', { rows: 1, columns: 2 }),
          node('empty', S),
          node('b', S, { task: 'log', inputBindings: { message: text } }),
        ]),
      ).issues.map(({ hint }) => hint)
    expect(hintsOf('{{ prepare }}')).toEqual(["write prepare.rows or prepare.columns, or 'prepare' for text"])
    expect(hintsOf('{{ empty }}')).toEqual(["'empty' is a node without outputs"])
    expect(hintsOf('{{ nothing }}')).toEqual(["write nothing.output, or 'nothing' for text"])
  })

  it('tells everything at once, and one broken node does not hide the others', () => {
    const found = codes(
      pipeline([
        { id: 'a', task: 'noop', startWhen: 'event:pipeline.strated', timeout: 5 },
        { id: 'b', task: 'nop', startWhen: 'event:a.complete', extra: 1 },
        'nonsense',
        set('c', { v: '{{ a.v + }}', w: '{{ pipeline.input.y }}' }, 'event:b.completed && {{ d.x }}'),
      ]),
    )
    expect(found.sort()).toEqual(
      [
        'nodes.0.timeout: invalid_type',
        'nodes.0.startWhen: unknown_event',
        'nodes.1.extra: unknown_field',
        'nodes.1.task: unknown_task',
        'nodes.1.startWhen: unknown_event',
        'nodes.2: invalid_type',
        'nodes.2.task: missing_field',
        'nodes.3.inputBindings.v: invalid_expression',
        'nodes.3.inputBindings.w: unknown_input',
        'nodes.3.startWhen: unknown_variable',
      ].sort(),
    )
  })

  it.each([undefined, null, 5, 'x', [], {}, { nodes: [] }, { nodes: {} }, { id: 'p', nodes: [null, [], 5] }])(
    'refuses %j without throwing',
    (input) => {
      const result = validate(input)
      expect(result.valid).toBe(false)
      expect(result.definition).toBeUndefined()
    },
  )

  it('names what stands twice, though it may have a toString of its own', () => {
    const phase = { toString: 1 }
    const { issues } = validate(pipeline([node('a')], { phases: [phase, phase] }))
    expect(issues.map(({ message }) => message)).toContain(`'{"toString":1}' is listed twice`)
  })

  it('never throws, whatever it is given', () => {
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue(),
        fc.record(
          {
            id: fc.oneof(fc.constantFrom('a', 'b', 'pipeline', ''), fc.jsonValue()),
            task: fc.oneof(fc.constantFrom('noop', 'set', 'wait', 'approval', 'nope'), fc.jsonValue()),
            startWhen: fc.oneof(fc.constantFrom(S, 'event:a.completed', '{{ a.b }}', '((('), fc.jsonValue()),
            inputBindings: fc.oneof(fc.constantFrom({ v: '{{ a.b }}', w: '{{' }), tie('value')),
            outputs: tie('value'),
            inputs: tie('value'),
            nodes: fc.array(tie('value'), { maxLength: 4 }),
            finally: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
      ),
    })).value
    fc.assert(
      fc.property(anything, (input) => {
        const result = validate(input)
        expect(result.valid).toBe(!result.issues.some(({ severity }) => severity === 'error'))
        for (const issue of result.issues) expect(issue.message).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })
})

describe('fields', () => {
  it('[R-84] unknown fields get a hint', () => {
    const result = validate(
      pipeline([node('a', S, { startwhen: 1, stopWhen: 'x' })], { nmae: 'x', policy: { failfast: true } }),
    )
    expect(result.issues.map(({ path, code, hint }) => [path.join('.'), code, hint])).toEqual([
      ['policy.failfast', 'unknown_field', 'did you mean failFast?'],
      ['nmae', 'unknown_field', 'did you mean name?'],
      ['nodes.0.startwhen', 'unknown_field', 'did you mean startWhen?'],
      ['nodes.0.stopWhen', 'unknown_field', undefined],
    ])
  })

  it('[R-84] the words of other systems are answered with ours', () => {
    const hints = (more: object) =>
      validate(pipeline([node('a', S, more)])).issues.map(
        ({ hint }) => hint?.match(/startWhen|inputBindings|task/)?.[0],
      )
    for (const word of ['dependsOn', 'depends_on', 'needs', 'when', 'if', 'runAfter'])
      expect(hints({ [word]: 'x' }), word).toEqual(['startWhen'])
    for (const word of ['with', 'params', 'inputs'])
      expect(hints({ [word]: {} }), word).toEqual(['inputBindings'])
    expect(hints({ uses: 'noop' })).toEqual(['task'])
    // Where the word stands for nothing, nothing is made up.
    expect(validate(pipeline([node('a', S)], { when: 'x' })).issues).toMatchObject([{ path: ['when'] }])
    expect(validate(pipeline([node('a', S)], { when: 'x' })).issues[0]?.hint).toBeUndefined()
  })

  it('what is not built yet is refused, not ignored', () => {
    const found = codes(
      pipeline(
        [
          node('a', S, {
            workspace: { repository: 'r', branch: 'b' },
            breaker: { key: 'k' },
          }),
        ],
        { policy: { failFast: true } },
      ),
    )
    expect(found.every((line) => line.endsWith('not_supported_yet'))).toBe(true)
    expect(found).toHaveLength(2)
  })

  it('[H-O5] what undoes a node is a task that may read what the node leaves behind', () => {
    const rollback = (value: object, more: object = {}) =>
      codes(
        pipeline([
          set('a', { v: 1 }),
          set('b', { w: '{{ a.v }}' }, 'event:a.completed', { rollback: value, ...more }),
        ]),
      )
    expect(
      rollback({
        task: 'log',
        inputBindings: { message: '{{ a.v }} {{ b.w }}' },
        timeout: '5s',
        retry: { maxAttempts: 2 },
      }),
    ).toEqual([])
    expect(rollback({ irreversible: true })).toEqual([])
    expect(rollback({})).toEqual(['nodes.1.rollback: invalid_value'])
    expect(rollback({ task: 'log', irreversible: true })).toContain('nodes.1.rollback: invalid_value')
    expect(rollback({ irreversible: true, timeout: '5s' })).toContain('nodes.1.rollback: invalid_value')
    expect(rollback({ task: 'lok', inputBindings: {} })).toEqual(['nodes.1.rollback.task: unknown_task'])
    expect(rollback({ task: 'wait', inputBindings: { duration: '1s' } })).toEqual([
      'nodes.1.rollback.task: invalid_value',
    ])
    expect(rollback({ task: 'log', inputBindings: { mesage: 'x' } })).toEqual([
      'nodes.1.rollback.inputBindings.message: missing_input',
      'nodes.1.rollback.inputBindings.mesage: unknown_input',
    ])
    expect(rollback({ task: 'log', inputBindings: { message: '{{ b.x }} {{ c.y }} {{ item }}' } })).toEqual([
      'nodes.1.rollback.inputBindings.message: unknown_variable',
      'nodes.1.rollback.inputBindings.message: unknown_variable',
      'nodes.1.rollback.inputBindings.message: unknown_variable',
    ])
    expect(rollback({ task: 'log', inputBindings: { message: '{{ }}' }, timeout: 'soon' })).toEqual([
      'nodes.1.rollback.inputBindings.message: invalid_expression',
      'nodes.1.rollback.timeout: invalid_duration',
    ])
    expect(rollback({ task: 'log', inputBindings: { message: '' } }, { finally: true })).toContain(
      'nodes.1.rollback: rollback_in_finally',
    )
    const policy = (value: unknown) => codes(pipeline([set('a', { v: 1 })], { policy: { rollback: value } }))
    expect(policy({ on: ['failed', 'security'], maxAttempts: 2, scope: 'phase' })).toEqual([])
    expect(policy({ on: 'manual' })).not.toEqual([])
  })

  it('[H-1] checks are conditions over what nodes leave behind, each with a name of its own', () => {
    const verify = (...checks: object[]) =>
      codes(pipeline([set('a', { v: 1 }), node('z', S, { finally: true })], { verify: checks }))
    expect(
      verify({ name: 'x', check: '{{ a.v > 0 }}' }, { name: 'y', check: '{{ size(a.v) == 1 }}' }),
    ).toEqual([])
    expect(verify({ name: 'x', check: '{{ a.v > }}' })).toEqual(['verify.0.check: invalid_expression'])
    expect(verify({ name: 'x', check: 'a.v > 0' })).toEqual(['verify.0.check: invalid_expression'])
    expect(verify({ name: 'x', check: '{{ a.w > 0 && b.v }}' })).toEqual([
      'verify.0.check: unknown_variable',
      'verify.0.check: unknown_variable',
    ])
    expect(verify({ name: 'x', check: '{{ z.v }}' })).toEqual(['verify.0.check: unknown_variable'])
    const twice = { name: 'x', check: '{{ true }}' }
    expect(verify(twice, twice)).toEqual(['verify.1.name: duplicate_check'])
    expect(verify({ name: 'x' })).toEqual(['verify.0.check: missing_field'])
    expect(verify({ name: 'x', check: '{{ "secret:key" == a.v }}' })).toEqual([
      'verify.0.check: not_supported_yet',
    ])
  })

  it('[R-8b][R-55][G-19] retry, forEach and sub-pipelines are checked where they stand', () => {
    expect(
      codes(
        pipeline([
          node('a', S, { retry: { maxAttempts: 3, delay: 'soon', when: 'error.kind' } }),
          node('b', S, { forEach: { items: 'text' } }),
          node('c', S, { forEach: { items: '{{ a.nothing }}' } }),
          { id: 'd', pipeline: 'p', startWhen: S },
          { id: 'e', task: 'set', startWhen: S, inputBindings: { v: '{{ item }}' } },
          {
            id: 'f',
            task: 'set',
            startWhen: S,
            forEach: { items: [1] },
            inputBindings: { v: '{{ item + index }}' },
          },
          {
            id: 'g',
            task: 'approval',
            startWhen: S,
            retry: { maxAttempts: 2 },
            inputBindings: { message: 'x', approvers: ['role:a'] },
          },
          node('h', S, { retry: { maxAttempts: 2, when: '{{ error.kind == "lost" && attempts < 3 }}' } }),
        ]),
      ).toSorted(),
    ).toEqual([
      'nodes.0.retry.delay: invalid_duration',
      'nodes.0.retry.when: invalid_expression',
      'nodes.1.forEach.items: invalid_type',
      'nodes.2.forEach.items: unknown_variable',
      'nodes.3.pipeline: self_reference',
      'nodes.4.inputBindings.v: unknown_variable',
      'nodes.6.retry: invalid_value',
    ])
  })

  it('[R-33] [R-80] ids', () => {
    expect(
      codes(
        pipeline([node('A-1'), node('pipeline'), node('int'), node('class'), node('a'), node('a')], {
          id: 'My.Id',
        }),
      ),
    ).toEqual([
      'id: invalid_id',
      'nodes.0.id: invalid_id',
      'nodes.1.id: reserved_id',
      'nodes.2.id: reserved_id',
      'nodes.3.id: reserved_id',
      'nodes.5.id: duplicate_node_id',
    ])
  })

  it('hostile keys are refused', () => {
    const input = JSON.parse(
      `{"id":"p","nodes":[{"id":"a","task":"set","startWhen":"${S}","inputBindings":{"__proto__":{"x":1}}}]}`,
    )
    expect(codes(input)).toEqual(['nodes.0.inputBindings.__proto__: invalid_value'])
    let deep: unknown = 1
    for (let i = 0; i < 100; i++) deep = [deep]
    expect(codes(pipeline([set('a', { v: deep })]))[0]).toContain('invalid_value')
  })

  it('[R-61] refuses more expressions than can be parsed while others wait', () => {
    const texts = Array.from({ length: 10_001 }, (_, at) => `{{ size([1, 2].map(x, x + ${at})) }}`)
    const began = performance.now()
    expect(validate(pipeline([set('a', { texts })])).issues).toMatchObject([
      { code: 'too_many_expressions', message: expect.stringContaining('10000') },
    ])
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('[R-61] a document full of mistakes is answered quickly, and says how many were left out', () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) =>
      set(
        `node_with_a_long_name_${i}`,
        { v: `{{ node_with_a_lnog_name_${i}.v }}` },
        `event:node_wiht_a_long_name_${i}.completed`,
      ),
    )
    const result = validate(pipeline(nodes), 10_000)
    expect(result.issues).toHaveLength(501)
    expect(result.issues[500]?.message).toBe('and 19501 more issues')
  })

  it('[R-61] a value with very many mistakes does not overflow', () => {
    const list = Array.from({ length: 150_000 }, () => '{{ b.v }}')
    expect(validate(pipeline([set('a', { v: list })]), 10_000).issues).toHaveLength(501)
    const broken = Array.from({ length: 150_000 }, () => '{{ }}')
    expect(validate(pipeline([set('a', { v: broken })]), 10_000).issues).toHaveLength(501)
    const phases = Array.from({ length: 300_000 }, () => 5)
    expect(validate(pipeline([node('a')], { phases })).valid).toBe(false)
  })

  it('[R-61][E-O5] the limit of nodes names its setting', () => {
    const nodes = Array.from({ length: 501 }, (_, i) => node(`n${i}`))
    const [issue] = validate(pipeline(nodes)).issues
    expect(issue).toMatchObject({
      code: 'too_many_nodes',
      hint: expect.stringContaining('PENSTOCK_MAX_NODES'),
    })
    expect(validate(pipeline(nodes), 1_000).valid).toBe(true)
  })

  it('[E-O5] too deep nesting is told with its limit, in values, gates and expressions', () => {
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown
    const gate = (depth: number) => `${'('.repeat(depth)}${S}${')'.repeat(depth)}`
    const deep = (depth: number) => `{{ ${'['.repeat(depth)}1${']'.repeat(depth)} }}`
    const told = (input: unknown) => validate(input).issues.map(({ path, message }) => [path[2], message])
    expect(
      told(pipeline([set('a', { v: nested(50) }), node('b', gate(40)), set('c', { v: deep(30) })])),
    ).toEqual([])
    expect(told(pipeline([set('a', { v: nested(70) })]))).toEqual([
      ['inputBindings', 'nested deeper than 64 levels'],
    ])
    expect(told(pipeline([node('b', gate(60)), set('c', { v: deep(70) })]))).toEqual([
      ['startWhen', 'the gate is nested deeper than 50 levels (at character 51)'],
      ['inputBindings', expect.stringContaining('64')],
    ])
  })

  it('a value that must be there is missing, not wrong', () => {
    expect(codes(pipeline([node('a')], { outputs: { x: {} } }))).toEqual(['outputs.x.value: missing_field'])
  })

  it('[N-O7] declarations of inputs', () => {
    expect(
      codes(
        pipeline([node('a')], {
          inputs: {
            x: { type: 'string', required: true, default: 'x' },
            'b-c': { type: 'text' },
            in: { type: 'number' },
          },
        }),
      ),
    ).toEqual(['inputs.b-c: invalid_id', 'inputs.x.default: default_on_required', 'inputs.in: invalid_id'])
  })

  it('durations and phases', () => {
    expect(
      codes(
        pipeline([node('a', S, { timeout: '5 minutes', estimate: '1y', phase: 'reed' })], {
          phases: ['read', 'read'],
        }),
      ),
    ).toEqual([
      'phases.1: duplicate_phase',
      'nodes.0.timeout: invalid_duration',
      'nodes.0.estimate: invalid_duration',
      'nodes.0.phase: unknown_phase',
    ])
  })
})
