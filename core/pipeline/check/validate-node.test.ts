import { describe, expect, it } from 'vitest'
import { S, approval, codes, node, pipeline, set, validate } from '@/testing/definitions'

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

  it('[R-55] of items that are wrong only that is told, not that what they would give is unknown', () => {
    for (const forEach of [
      { items: 'text' },
      { items: '{{ a. }}' },
      { items: 5 },
      'text',
      { items: [1], concurrency: 'x' },
    ]) {
      const read = { id: 'b', task: 'set', startWhen: S, inputBindings: { v: '{{ item + index }}' }, forEach }
      const found = codes(pipeline([read]))
      expect(found.length).toBeGreaterThan(0)
      expect(found.filter((line) => !line.startsWith('nodes.0.forEach'))).toEqual([])
    }
  })

  it('[R-70] every node has an error that those which wait for its failure may read', () => {
    const reader = (startWhen: string) =>
      pipeline([node('a'), set('b', { v: '{{ a.error.message }}' }, startWhen)])
    expect(validate(reader('event:a.failed')).issues).toEqual([])
    expect(validate(reader('event:pipeline.started')).issues).toMatchObject([
      { code: 'may_be_missing', hint: 'add event:a.failed to startWhen' },
    ])
    expect(codes(pipeline([set('a', { v: 1 }), set('b', { v: '{{ a.eror }}' }, 'event:a.failed')]))).toEqual([
      'nodes.1.inputBindings.v: unknown_variable',
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

  it('[G-4] [R-83] a duration that is a number, and a choice that is none, are told how they are written', () => {
    const trigger = { id: 't', type: 'schedule', cron: '@daily' }
    const nodes = [
      node('a', S, { timeout: 3, retry: { maxAttempts: 2, delay: 200 } }),
      { id: 'b', task: 'wait', startWhen: S, inputBindings: { duration: 20 } },
    ]
    const result = validate(pipeline(nodes, { triggers: [trigger] }))
    const written = 'write 250ms, 30s, 5m, 2h, 1d or PT30S'
    expect(result.issues.map(({ path, hint }) => `${path.join('.')}: ${hint}`)).toEqual([
      'triggers.0.type: one of cron, webhook',
      `nodes.0.timeout: ${written}`,
      `nodes.0.retry.delay: ${written}`,
      `nodes.1.inputBindings.duration: ${written}`,
    ])
  })

  it('[R-8b] [G-4] a retry may ask for the kind, message and detail of the failure, and nothing else', () => {
    const asking = (when: string) => pipeline([node('a', S, { retry: { maxAttempts: 2, when } })])
    expect(codes(asking("{{ error.kind == 'timeout' || error.detail.status == 503 }}"))).toEqual([])
    expect(validate(asking("{{ error.kid == 'timeout' }}")).issues).toMatchObject([
      { message: "'error' has no 'kid'", hint: 'did you mean kind?' },
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
