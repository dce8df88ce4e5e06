import { describe, expect, it } from 'vitest'
import { compiled, heavy, noop, set, wait, type NodeSpec } from '@/testing/engine-run'
import type { RehearsalPlan } from './plan'
import { rehearse } from './rehearse'

const fetch: NodeSpec = {
  id: 'fetch',
  task: 'http.request',
  inputBindings: { method: 'GET', url: 'http://x.example/' },
  startWhen: 'event:pipeline.started',
}
const inputs = {
  limit: { type: 'number', default: 10 },
  key: { type: 'string', default: 'k' },
  needed: { type: 'number' },
} as const

function rehearsed(nodes: NodeSpec[], plan: RehearsalPlan = {}) {
  const result = rehearse(compiled({ inputs, nodes: [fetch, ...nodes] }), { inputs: { needed: 7 }, ...plan })
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.rehearsal
}

const gated = (condition: string) => noop('n', `event:fetch.completed && {{ ${condition} }}`)

describe('a value that nobody knows has the type that its readers need', () => {
  it.each([
    'fetch.body.total > 100.0',
    'fetch.body.total > 100.0 && fetch.body.total < 200.0',
    'fetch.body.total > pipeline.input.limit',
    'pipeline.input.needed < fetch.body.total',
    'fetch.body.a > fetch.body.b',
    'fetch.body.a > fetch.body.b && fetch.body.b > 20',
    'fetch.body.a == fetch.body.b && fetch.body.b == true',
    'fetch.body.count > fetch.status',
    'fetch.body.a * 1.5 > 2.0',
    'fetch.body.a + fetch.body.b > 3.5',
    'fetch.body.a / fetch.body.b > 0.5',
    'fetch.body.rows[0].v - 0.5 > 1.0',
    '-fetch.body.a < 0.5',
    'size(fetch.body.name) > 20',
    'fetch.body.rows.size() > 2 && fetch.body.rows[2].x > 1.0',
    'size(fetch.body.rows) > 3',
    "'x' in fetch.body.tags",
    "fetch.body.kind in ['a', 'b']",
    'fetch.body.n in [1, 2]',
    'fetch.body.ok',
    '!fetch.body.ok',
    'fetch.body.ok ? fetch.body.n > 1 : fetch.body.m > 1',
    '(fetch.body.a > 1.0 ? fetch.body.b : fetch.body.c) > 2.5',
    'double(fetch.body.x) > 1.0',
    'int(fetch.body.x) > 1',
    "timestamp(fetch.body.at) >= timestamp('2026-01-01T00:00:00Z')",
    "duration(fetch.body.d) >= duration('1s')",
    'fetch.body.rows.filter(r, r.v > 1.5).size() > 0',
    'fetch.body.rows.filter(r, r.ok).exists(r, r.v > 1.5)',
    'fetch.body.rows.exists(r, r.ok)',
    'fetch.body.rows.all(r, r > 0.5)',
    "fetch.body.name + 'x' == 'yx'",
    "fetch.body.name.startsWith('http')",
    'fetch.body.m["k"] > 1.5',
    'fetch.body[pipeline.input.key] > 1.5',
    'has(fetch.body.x) && fetch.body.x.y > 1.0',
    'fetch.body.x != null && fetch.body.x > 1.5',
    'fetch.body.x.y.z >= 0.1',
    'abs(fetch.body.n) < 5',
    'round(fetch.body.n, 2) == 1.5',
    'max(fetch.body.a, 3.5) > 3.0',
    'min(fetch.body.list) > 0',
    'sum(fetch.body.items.map(i, i.price)) > 10.0',
    'sum(fetch.body.prices) > 10.0',
    "upper(fetch.body.name) == 'X' && lower(fetch.body.other) == 'y'",
    'bool(fetch.body.flag)',
    "fetch.body.date.substring(0, 4) == '2026'",
    "fetch.body.date.substring(5, 7) == '02'",
    "fetch.body.text.split(',')[2] == 'x'",
    'fetch.body.rows.map(r, r.id)[0] > 3',
    "fetch.body.rows.filter(r, r.at > '2026').map(r, r.v)[0] + 1.5 > 2.0",
    'fetch.body.rows.map(r, r.n * 2.0).exists(n, n >= 2.0)',
    "{'a': fetch.body.a}.a > 2.0",
    '[fetch.body.a, fetch.body.b][1] > 2.0',
    'fetch.body.list[fetch.body.index] > 3',
    'fetch.body.rows[size(fetch.body.rows) - 1].v > 2.0',
  ])('%s', (condition) => {
    const { nodes } = rehearsed([gated(condition)])
    expect(nodes.get('n')).toMatchObject({ status: condition.startsWith('!') ? 'skipped' : 'completed' })
    expect(nodes.get('n')!.error).toBeNull()
    expect(nodes.get('n')!.restsOn).toContain('fetch.body')
  })

  it.each([
    'fetch.body.list + [1] == [1]',
    "fetch.body.name.lowerAscii() == 'x'",
    "fetch.body.name.split(',')[0] == 'a'",
    'string(fetch.body.n) == "5"',
    'fetch.body.a % 2 == 0',
  ])('%s is read without an error, whatever comes of it', (condition) => {
    expect(rehearsed([gated(condition)]).nodes.get('n')!.error).toBeNull()
  })

  it('also where it is handed on by nodes that only compute', () => {
    const { nodes } = rehearsed([
      set(
        'a',
        { total: '{{ fetch.body.sum }}', parts: { first: '{{ fetch.body.rows[0] }}' } },
        'event:fetch.completed',
      ),
      set('b', { twice: '{{ a.total * 2 }}', all: '{{ fetch.body.rows }}' }, 'event:a.completed'),
      noop('n', 'event:b.completed && {{ b.twice > 100.0 }}'),
      noop('m', 'event:b.completed && {{ a.parts.first.price < 2.5 }}'),
      heavy('each', 'event:b.completed', {
        forEach: { items: '{{ b.all.filter(row, row.good) }}' },
        inputBindings: { code: 'return 1', input: '{{ item.price + 1.5 }}' },
      }),
    ])
    for (const id of ['n', 'm', 'each']) expect(nodes.get(id), id).toMatchObject({ status: 'completed' })
  })

  it('and fits the input of the task that it fills', () => {
    const { nodes } = rehearsed([
      wait('w', '{{ fetch.body.delay }}', 'event:fetch.completed'),
      heavy('s', 'event:fetch.completed', {
        inputBindings: { code: 'return 1', input: '{{ fetch.body.some }}' },
      }),
    ])
    expect(nodes.get('w')).toMatchObject({ status: 'completed', restsOn: ['fetch.body'] })
    expect(nodes.get('s')).toMatchObject({ status: 'completed' })
  })

  it.each([
    ['duckdb.query', { sql: 'select 1', format: '{{ fetch.body.v }}' }],
    ['duckdb.query', { sql: 'select 1', max_rows: '{{ fetch.body.v }}' }],
    ['http.request', { method: '{{ fetch.body.v }}', url: 'http://x.example/' }],
    ['http.request', { method: 'GET', url: 'http://x.example/', expect: '{{ fetch.body.v }}' }],
    ['script.javascript', { code: 'return 1', memory: '{{ fetch.body.v }}' }],
    ['file.write', { path: 'a', content: 'x', content_type: '{{ fetch.body.v }}' }],
    ['log', { message: 'x', level: '{{ fetch.body.v }}' }],
  ])('and is one that %s takes: %j', (task, inputBindings) => {
    const { nodes } = rehearsed([
      { id: 'n', task, inputBindings, startWhen: 'event:fetch.completed' } as NodeSpec,
    ])
    expect(nodes.get('n')).toMatchObject({ status: 'completed', restsOn: ['fetch.body'] })
  })

  it('and follows what the scenario gives', () => {
    const compared = gated('fetch.body.total > pipeline.input.needed')
    expect(rehearsed([compared], { inputs: { needed: 5_000 } }).nodes.get('n')!.status).toBe('completed')
    const beside = [
      heavy('other'),
      noop('n', 'event:fetch.completed && event:other.completed && {{ fetch.body.v == other.result }}'),
    ]
    const given = { nodes: { other: { outputs: { result: 'sluice' } } } }
    expect(rehearsed(beside, given).nodes.get('n')!.status).toBe('completed')
  })
})
