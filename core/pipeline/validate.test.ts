import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { taskCatalog } from '@/core/tasks/catalog'
import { validateDefinition } from './validate'

const S = 'event:pipeline.started'
const node = (id: string, startWhen = S, extra: object = {}) => ({ id, task: 'noop', startWhen, ...extra })
const set = (id: string, inputBindings: object, startWhen = S, extra: object = {}) => ({
  id,
  task: 'set',
  inputBindings,
  startWhen,
  ...extra,
})
const approval = (id: string, startWhen = S, extra: object = {}) => ({
  id,
  task: 'approval',
  inputBindings: { message: 'ok?', approvers: ['role:admin'] },
  startWhen,
  ...extra,
})
const pipeline = (nodes: unknown, extra: object = {}) => ({ id: 'p', nodes, ...extra })

function validate(input: unknown, maxNodes = 500) {
  return validateDefinition(input, { tasks: taskCatalog, maxNodes })
}

/** `path: code` of every issue. */
function codes(input: unknown): string[] {
  return validate(input).issues.map(({ path, code }) => `${path.join('.')}: ${code}`)
}

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

  it('what is not built yet is refused, not ignored', () => {
    const found = codes(
      pipeline(
        [
          node('a', S, {
            forEach: { items: [1] },
            retry: { maxAttempts: 2 },
            workspace: { repository: 'r', branch: 'b' },
            rollback: { task: 'noop' },
            breaker: { key: 'k' },
            risk: { impact: 0.1 },
            workerGroup: 'gpu',
            resources: { cpu: 1 },
          }),
          { id: 'b', pipeline: 'other', startWhen: S },
          node('c', S, { workerGroup: 'default' }),
        ],
        {
          triggers: [{ id: 'daily', type: 'cron', cron: '0 6 * * *' }],
          policy: {
            maxRunning: 1,
            whenFull: 'queue',
            timeout: '2h',
            rollback: { on: 'verify_failed' },
            failFast: true,
          },
          verify: [{ name: 'x', check: '{{ a.v > 0 }}' }],
        },
      ),
    )
    expect(found.every((line) => line.endsWith('not_supported_yet'))).toBe(true)
    expect(found).toHaveLength(15)
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

  it('[R-61] the limit of nodes names its setting', () => {
    const nodes = Array.from({ length: 501 }, (_, i) => node(`n${i}`))
    const [issue] = validate(pipeline(nodes)).issues
    expect(issue).toMatchObject({
      code: 'too_many_nodes',
      hint: expect.stringContaining('PENSTOCK_MAX_NODES'),
    })
    expect(validate(pipeline(nodes), 1_000).valid).toBe(true)
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

describe('gates', () => {
  it('[G-4] events that nothing publishes, with suggestions', () => {
    const result = validate(
      pipeline([
        node('extract'),
        node('b', 'event:extract.complete || event:extrct.completed || event:pipeline.strated'),
      ]),
    )
    expect(result.issues.map(({ code, message, hint }) => [code, message, hint])).toEqual([
      ['unknown_event', "nothing publishes 'extract.complete'", 'did you mean extract.completed?'],
      ['unknown_event', "nothing publishes 'extrct.completed'", 'did you mean extract.completed?'],
      ['unknown_event', "nothing publishes 'pipeline.strated'", 'did you mean pipeline.started?'],
    ])
  })

  it('[R-51] an approval publishes approved, rejected and timeout; a task does not', () => {
    const gates =
      'event:g.approved || event:g.rejected || event:g.timeout || event:g.waiting || event:g.failed'
    expect(codes(pipeline([approval('g'), node('b', gates)]))).toEqual([])
    expect(codes(pipeline([node('g'), node('b', 'event:g.approved')]))).toEqual([
      'nodes.1.startWhen: unknown_event',
    ])
    expect(codes(pipeline([approval('g'), node('b', 'event:g.task.failed')]))).toEqual([
      'nodes.1.startWhen: unknown_event',
    ])
    expect(codes(pipeline([node('a'), node('b', 'event:a.task.failed || event:a.retrying')]))).toEqual([])
  })

  it('[R-65] startWhen may not name the decision of an approval', () => {
    const result = validate(
      pipeline([
        approval('g'),
        node('b', 'event:external.g.approved'),
        node('c', 'event:external.x.approved'),
      ]),
    )
    expect(result.issues).toEqual([
      {
        path: ['nodes', 1, 'startWhen'],
        code: 'reserved_event',
        message: "'event:external.g.approved' is reserved for the approval 'g'",
        hint: 'write event:g.approved',
        severity: 'error',
      },
    ])
  })

  it('[X-4] a gate needs an event', () => {
    expect(
      codes(
        pipeline([node('a'), node('b', '{{ pipeline.input.x > 1 }}')], { inputs: { x: { type: 'number' } } }),
      ),
    ).toEqual(['nodes.1.startWhen: state_only_start_when'])
  })

  it('[G-4] some node must start', () => {
    expect(codes(pipeline([node('a', 'event:external.x')]))).toEqual(['nodes: no_start_node'])
    expect(codes(pipeline([node('a', S, { finally: true })]))).toEqual(['nodes: no_start_node'])
  })

  it('[H-2] cycles name their nodes', () => {
    const result = validate(
      pipeline([
        node('a', `${S} && event:c.completed`),
        node('b', 'event:a.completed'),
        node('c', 'event:b.failed'),
        node('d'),
      ]),
    )
    expect(result.issues).toHaveLength(1)
    expect(result.issues[0]).toMatchObject({
      code: 'cycle',
      path: ['nodes', expect.any(Number), 'startWhen'],
    })
    expect(result.issues[0]?.message).toContain('a → b → c → a')
    expect(codes(pipeline([node('a', `${S} && event:a.completed`)]))).toEqual(['nodes.0.startWhen: cycle'])
  })

  it('[R-29] [H-2] a cycle through a variable is a cycle', () => {
    expect(
      codes(pipeline([set('a', { v: '{{ b.v }}' }), set('b', { v: 1 }, 'event:a.completed')])),
    ).toContain('nodes.0.startWhen: cycle')
  })

  it('[R-67] external atoms', () => {
    expect(codes(pipeline([node('a'), node('b', 'event:a.completed && !event:external.stop')]))).toEqual([
      'nodes.1.startWhen: external_negation_without_start_timeout',
    ])
    expect(
      codes(
        pipeline([node('a'), node('b', 'event:a.completed && !event:external.stop', { startTimeout: '1h' })]),
      ),
    ).toEqual([])
    expect(codes(pipeline([node('a', S, { startTimeout: '1h' })]))).toEqual([
      'nodes.0.startTimeout: unused_start_timeout',
    ])
    expect(codes(pipeline([node('a'), node('b', 'event:pipeline.failed')]))).toEqual([
      'nodes.1.startWhen: pipeline_event_outside_finally',
    ])
  })

  it('[R-35] [R-68] finally nodes', () => {
    expect(
      codes(
        pipeline([
          node('a'),
          approval('f', 'event:pipeline.completed', { finally: true }),
          node('g', 'event:external.x', { finally: true }),
          node('h', 'event:g.completed'),
          set('i', { v: '{{ a.x }}' }, 'event:a.failed', { finally: true }),
        ]),
      ),
    ).toEqual([
      'nodes.1.task: approval_in_finally',
      'nodes.2.startWhen: external_in_finally',
      'nodes.3.startWhen: finally_event_outside_finally',
      'nodes.4.inputBindings.v: unknown_variable',
    ])
  })

  it('[R-71] an approval has no attempt to time out', () => {
    expect(codes(pipeline([approval('g', S, { timeout: '1h' })]))).toEqual([
      'nodes.0.timeout: timeout_on_approval',
    ])
  })
})

describe('variables', () => {
  it('[N-O1] every reference is checked against what is declared', () => {
    const result = validate(
      pipeline(
        [
          set('a', { rows: 1 }),
          node('q', S, { outputVariables: { n: '{{ result.x }}' } }),
          set(
            'b',
            {
              a: '{{ a.row }}',
              b: '{{ q.m }}',
              c: '{{ pipeline.input.statoin }}',
              d: '{{ system.startd_at }}',
              e: '{{ nobody.x }}',
              f: '{{ b.a }}',
              g: '{{ item }}',
              h: '{{ result.x }}',
              i: '{{ execution_1.node.y }}',
              j: '{{ pipeline.output.x }}',
            },
            'event:a.completed && event:q.completed',
          ),
        ],
        { inputs: { station: { type: 'string' } } },
      ),
    )
    expect(
      result.issues.map(
        ({ path, code, hint }) => `${path[path.length - 1]} ${code}${hint ? ` (${hint})` : ''}`,
      ),
    ).toEqual([
      'a unknown_variable (did you mean rows?)',
      'b unknown_variable (did you mean n?)',
      'c unknown_input (did you mean station?)',
      'd unknown_variable (did you mean started_at?)',
      'e unknown_variable',
      'f unknown_variable',
      'g unknown_variable (it is known only inside forEach)',
      'h unknown_variable (it is known only inside outputVariables)',
      'i invalid_variable_name (write node.output)',
      'j unknown_variable (read the variable of the node instead)',
    ])
  })

  it('[N-O2] reading what nothing waits for is a warning, not an error', () => {
    const result = validate(pipeline([set('a', { v: 1 }), set('b', { v: '{{ a.v }}' })]))
    expect(result.valid).toBe(true)
    expect(result.issues).toMatchObject([
      { code: 'may_be_missing', severity: 'warning', hint: 'add event:a.completed to startWhen' },
    ])
    expect(
      codes(
        pipeline([
          set('a', { v: 1 }),
          node('x', 'event:a.completed'),
          set('b', { v: '{{ a.v }}' }, 'event:x.completed'),
        ]),
      ),
    ).toEqual([])
  })

  it('[R-36] outputs of the pipeline may read every node', () => {
    expect(
      codes(
        pipeline([set('a', { v: 1 })], {
          outputs: { x: { value: '{{ a.v }}' }, y: { value: '{{ a.w }}' }, z: { value: '{{ a. }}' } },
        }),
      ),
    ).toEqual(['outputs.y.value: unknown_variable', 'outputs.z.value: invalid_expression'])
  })
})

describe('bindings', () => {
  it('[G-4] keys are known, required ones are there, literals have the right type', () => {
    const result = validate(
      pipeline([
        {
          id: 'a',
          task: 'duckdb.query',
          startWhen: S,
          inputBindings: { sqll: 'x', max_rows: 'many', format: 'xls' },
        },
        { id: 'b', task: 'wait', startWhen: S },
        { id: 'c', task: 'wait', startWhen: S, inputBindings: { duration: 'soon' } },
        { id: 'd', task: 'file.write', startWhen: S, inputBindings: { path: '../x', content: 1 } },
      ]),
    )
    expect(
      result.issues.map(({ path, code, message }) => `${path.slice(1).join('.')} ${code} ${message}`),
    ).toEqual([
      "0.inputBindings.sql missing_input duckdb.query needs the input 'sql'",
      "0.inputBindings.max_rows invalid_input 'many' is not a number",
      "0.inputBindings.format invalid_input 'xls' is not allowed here",
      "0.inputBindings.sqll unknown_input 'sqll' is not an input of duckdb.query",
      "1.inputBindings invalid_input give either 'duration' or 'until'",
      "2.inputBindings.duration invalid_input 'soon' is not a duration; write 250ms, 30s, 5m, 2h, 1d or PT30S",
      "3.inputBindings.path invalid_input '../x' is not a relative path inside the run's folder",
    ])
  })

  it('[N-O6] a {{ }} may stand wherever a literal may', () => {
    expect(
      codes(
        pipeline(
          [
            {
              id: 'a',
              task: 'duckdb.query',
              startWhen: S,
              inputBindings: {
                sql: 'select {{ pipeline.input.x }}',
                max_rows: '{{ pipeline.input.x }}',
                params: ['{{ pipeline.input.x }}'],
                format: '{{ pipeline.input.s }}',
              },
            },
            { id: 'b', task: 'wait', startWhen: S, inputBindings: { duration: '{{ pipeline.input.s }}' } },
            {
              id: 'c',
              task: 'approval',
              startWhen: S,
              inputBindings: {
                message: '{{ pipeline.input.x }}',
                approvers: ['{{ pipeline.input.s }}', 'role:{{ pipeline.input.s }}'],
                quorum: '{{ pipeline.input.x }}',
              },
            },
          ],
          { inputs: { x: { type: 'number' }, s: { type: 'string' } } },
        ),
      ),
    ).toEqual([])
  })

  it('[N-O6] text around a {{ }} is a string, so it is no number', () => {
    expect(
      codes(
        pipeline(
          [
            {
              id: 'a',
              task: 'duckdb.query',
              startWhen: S,
              inputBindings: { sql: 'x', max_rows: '{{ pipeline.input.x }}0' },
            },
          ],
          { inputs: { x: { type: 'number' } } },
        ),
      ),
    ).toEqual(['nodes.0.inputBindings.max_rows: invalid_input'])
  })

  it('[R-51] an approval needs approvers, and enough of them', () => {
    const bind = (inputBindings: object) =>
      codes(pipeline([{ id: 'g', task: 'approval', startWhen: S, inputBindings }]))
    expect(bind({ message: 'x' })).toEqual(['nodes.0.inputBindings.approvers: missing_input'])
    expect(bind({ message: 'x', approvers: ['ada'] })).toEqual([
      'nodes.0.inputBindings.approvers.0: invalid_input',
    ])
    expect(bind({ message: 'x', approvers: ['user:ada'], quorum: 2 })).toEqual([
      'nodes.0.inputBindings.quorum: invalid_input',
    ])
    expect(bind({ message: 'x', approvers: ['role:admin'], quorum: 2 })).toEqual([])
    expect(bind({ message: 'x', approvers: ['role:admin'], onTimeout: 'approve' })).toEqual([
      'nodes.0.inputBindings.onTimeout: invalid_input',
    ])
    expect(
      bind({ message: 'x', approvers: ['role:admin'], form: { price: { type: 'number', minValue: 0 } } }),
    ).toEqual([])
    expect(bind({ message: 'x', approvers: ['role:admin'], form: { price: { type: 'text' } } })).toEqual([
      'nodes.0.inputBindings.form.price.type: invalid_input',
    ])
  })

  it('source code is taken verbatim', () => {
    const result = validate(
      pipeline([
        set('a', { v: 1 }),
        {
          id: 'b',
          task: 'script.javascript',
          startWhen: S,
          inputBindings: { code: 'const x = {{ a.v }}; {{ return 1 }}' },
        },
      ]),
    )
    expect(result.valid).toBe(true)
    expect(result.issues).toMatchObject([{ code: 'literal_input', severity: 'warning' }])
  })
})
