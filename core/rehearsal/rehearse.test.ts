import { describe, expect, it } from 'vitest'
import { evolve } from '@/core/engine/fold/evolve'
import { logViolations, replayDiffers, violations } from '@/core/engine/invariants'
import { viewOf } from '@/core/engine/view/project'
import { emptyState } from '@/core/engine/state'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { compiled, failing, gate, heavy, noop, set, wait, type NodeSpec } from '@/testing/engine-run'
import type { RehearsalPlan } from './plan'
import { rehearse, type Rehearsal } from './rehearse'

function played(
  nodes: readonly NodeSpec[],
  plan: RehearsalPlan = {},
  more: Partial<PipelineDefinition> = {},
): Rehearsal {
  const result = rehearse(compiled({ ...more, nodes: [...nodes] }), plan)
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  const { rehearsal } = result
  expect(violations(rehearsal.state)).toEqual([])
  expect(logViolations(rehearsal.entries, rehearsal.state.pipeline.finallyNodes)).toEqual([])
  expect(replayDiffers(rehearsal.state, rehearsal.entries)).toBe(false)
  return rehearsal
}

/** `node: when it started-when it ended`, in milliseconds, or its status. */
const times = ({ nodes }: Rehearsal) =>
  [...nodes].map(([id, { startedAfter, finishedAfter, status }]) =>
    startedAfter === null ? `${id}: ${status}` : `${id}: ${startedAfter}-${finishedAfter ?? status}`,
  )
const after = (rehearsal: Rehearsal, type: string) =>
  rehearsal.entries
    .filter(({ event }) => event.type === type)
    .map(({ event }) => Date.parse(event.timestamp) - rehearsal.state.createdAt)

describe('time in a rehearsal', () => {
  it('an attempt takes what the plan says, else its estimate, else its history, else a second', () => {
    const rehearsal = played(
      [
        heavy('a', undefined, { estimate: '10s' }),
        heavy('b', 'event:a.completed', { estimate: '10s' }),
        heavy('c', 'event:b.completed'),
        heavy('d', 'event:c.completed'),
      ],
      { nodes: { a: { duration: '2s' } }, history: { b: 7, c: 300.4 } },
    )
    expect(times(rehearsal)).toEqual(['a: 0-2000', 'b: 2000-12000', 'c: 12000-12300', 'd: 12300-13300'])
    expect([...rehearsal.nodes.values()].map(({ duration }) => duration)).toEqual([
      'plan',
      'estimate',
      'history',
      'default',
    ])
    expect(rehearsal.end).toEqual({ kind: 'finished', status: 'completed' })
    expect(rehearsal.summary).toBe('the run is completed')
  })

  it('[R-8b] retries wait as the policy says; the id of the run decides the jitter', () => {
    const retry = { maxAttempts: 3, strategy: 'exponential', delay: '1s' } as const
    const plan = { nodes: { a: { duration: 10, failure: { attempts: 2, message: 'not yet' } } } }
    const exact = played([heavy('a', undefined, { retry: { ...retry, jitter: 0 } })], plan)
    expect(after(exact, 'a.task.started')).toEqual([0, 1_010, 3_020])
    expect(exact.nodes.get('a')).toMatchObject({ status: 'completed', attempts: 3 })
    const jittered = (executionId: string) =>
      after(played([heavy('a', undefined, { retry })], { ...plan, executionId }), 'a.task.started')
    expect(jittered('x')).toEqual(jittered('x'))
    expect(jittered('x')).not.toEqual(jittered('y'))
  })

  it('a worker that dies is lost as often as it may be, and then the attempt has failed', () => {
    const twice = {
      attempts: [
        { attempt: 1, duration: 5, lost: 'power' },
        { attempt: 1, duration: 7, lost: 'power' },
      ],
    }
    expect(times(played([heavy('a')], { nodes: { a: { ...twice, duration: 10 } } }))).toEqual(['a: 0-22'])
    const always = played([heavy('a')], { nodes: { a: { duration: 10, failure: { kind: 'lost' } } } })
    expect(after(always, 'a.task.lost')).toEqual([10, 20, 30, 40])
    expect(always.nodes.get('a')?.error?.kind).toBe('lost')
  })

  it('an attempt that takes too long is ended by the engine, and its late result is no news', () => {
    const node = heavy('a', undefined, { timeout: '1s' })
    for (const duration of [5_000, null]) {
      const rehearsal = played([node, noop('fix', 'event:a.failed')], { nodes: { a: { duration } } })
      expect(times(rehearsal)).toEqual(['a: 0-1000', 'fix: 1000-2000'])
      expect(rehearsal.nodes.get('a')?.error?.kind).toBe('timeout')
      expect(rehearsal.nodes.get('a')?.invented).toEqual([])
      expect(rehearsal.refused).toEqual([])
    }
    expect(times(played([node], { nodes: { a: { duration: 1_000 } } }))).toEqual(['a: 0-1000'])
    expect(played([node], { nodes: { a: { duration: 1_000 } } }).end.status).toBe('completed')
  })

  it('what does not end by itself leaves the run running, and is what it waits for', () => {
    const rehearsal = played([heavy('a'), noop('b', 'event:a.completed')], {
      nodes: { a: { duration: null } },
    })
    expect(rehearsal.end).toMatchObject({ kind: 'waits', status: 'running' })
    expect(rehearsal.summary).toBe('a attempt 1 is running')
  })

  it('[R-72] waits end on time, and a run that takes too long fails at its deadline', () => {
    expect(times(played([wait('w', '2h'), noop('n', 'event:w.completed')]))).toEqual([
      'w: 0-7200000',
      'n: 7200000-7201000',
    ])
    const late = played(
      [wait('w', '2h'), heavy('a')],
      { nodes: { a: { duration: '3h' } } },
      { policy: { timeout: '1h' } },
    )
    expect(late.end.status).toBe('failed')
    expect(times(late)).toEqual(['w: 0-3600000', 'a: 0-3600000'])
  })

  it('[R-67] a node that waits for an event gives up at its start timeout; one that comes in time starts it', () => {
    const nodes = [noop('a', 'event:external.ready', { startTimeout: '1m' }), noop('b', 'event:a.skipped')]
    expect(times(played(nodes))).toEqual(['a: skipped', 'b: 60000-61000'])
    const ready = { type: 'external.ready', after: '30s' }
    expect(times(played(nodes, { events: [ready] }))).toEqual(['a: 30000-31000', 'b: skipped'])
  })

  it('slots are respected: higher priorities go first, and waits are shown', () => {
    const nodes = [heavy('a'), heavy('b'), heavy('c', undefined, { priority: 1 }), noop('n')]
    expect(times(played(nodes, { slots: 1 }))).toEqual([
      'a: 1000-2000',
      'b: 2000-3000',
      'c: 0-1000',
      'n: 0-1000',
    ])
    expect(after(played(nodes, { slots: 1 }), 'b.queued')).toEqual([0])
    expect(times(played(nodes))).toEqual(['a: 0-1000', 'b: 0-1000', 'c: 0-1000', 'n: 0-1000'])
  })

  it('[R-55] every item of a list takes the time of its node, as many at once as may be', () => {
    const each = heavy('each', undefined, { forEach: { items: [1, 2, 3, 4, 5], concurrency: 2 } })
    const rehearsal = played([each], {
      nodes: { each: { duration: 100, outputs: { result: [5, 4, 3, 2, 1] } } },
    })
    expect(times(rehearsal)).toEqual(['each: 0-300'])
    expect(rehearsal.state.variables.get('each.result')?.value).toEqual([5, 4, 3, 2, 1])
    const failed = played([each], {
      nodes: { each: { failure: { items: [3], kind: 'odd', message: 'no' } } },
    })
    expect(failed.nodes.get('each')?.error).toEqual({ kind: 'odd', message: 'item 3: no' })
  })
})

describe('people and events in a rehearsal', () => {
  const nodes = [
    gate('ok', { approvers: ['user:ada', 'role:boss'], timeout: '1d' }),
    noop('go', 'event:ok.approved'),
  ]

  it('[R-51] somebody decides after a while, and what hangs on it goes on', () => {
    const approved = played(nodes, {
      approvals: { ok: [{ decision: 'approved', after: '1h', comment: 'fine' }] },
    })
    expect(times(approved)).toEqual(['ok: 0-3600000', 'go: 3600000-3601000'])
    expect(approved.state.variables.get('ok.comment')?.value).toBe('fine')
    const rejected = played(nodes, { approvals: { ok: [{ decision: 'rejected', by: 'ada' }] } })
    expect(times(rejected)).toEqual(['ok: 0-0', 'go: skipped'])
  })

  it('nobody decides: the run waits, or the approval comes to its deadline', () => {
    expect(times(played(nodes))).toEqual(['ok: 0-86400000', 'go: skipped'])
    const forever = played([gate('ok')])
    expect(forever.end).toMatchObject({
      kind: 'waits',
      status: 'waiting',
      nodes: [{ node: 'ok', for: { kind: 'people' } }],
    })
    expect(forever.summary).toBe('ok waits for a decision of role:approver')
  })

  it('a decision that the engine refuses is reported, and changes nothing', () => {
    const eve = { decision: 'approved' as const, by: 'eve', roles: [], after: 5 }
    const rehearsal = played(nodes, { approvals: { ok: [eve] } })
    expect(rehearsal.refused).toMatchObject([
      { after: 5, what: "approved of 'ok' by eve", code: 'not_an_approver', path: ['approvals', 'ok', 0] },
    ])
    const late = played([noop('a')], { events: [{ type: 'external.x', after: '1h' }] })
    expect(late.refused).toMatchObject([
      { code: 'execution_finished', what: 'external.x', path: ['events', 0] },
    ])
    const cancelled = played([noop('a')], { cancel: { after: '1h' } })
    expect(cancelled.refused).toMatchObject([{ code: 'execution_finished', path: ['cancel'] }])
    expect(late.endedAt - late.state.createdAt).toBe(1_000)
  })

  it('[R-69] a cancel stops what runs, and finally nodes run after it', () => {
    const some = [
      heavy('a'),
      noop('b', 'event:a.completed'),
      noop('z', 'event:pipeline.cancelled', { finally: true }),
    ]
    const rehearsal = played(some, { cancel: { after: 400, reason: 'enough' } })
    expect(rehearsal.end.status).toBe('cancelled')
    expect(times(rehearsal)).toEqual(['a: 0-400', 'b: skipped', 'z: 400-1400'])
    const slow = { nodes: { a: { attempts: [{ attempt: 1, duration: null, stopsAfter: 50 }] } } }
    expect(times(played(some, { ...slow, cancel: { after: 400 } }))).toEqual([
      'a: 0-450',
      'b: skipped',
      'z: 450-1450',
    ])
  })
})

describe('what tasks come to in a rehearsal', () => {
  it('set, noop, log and fail do what they do in a run', () => {
    const rehearsal = played(
      [
        set('a', { n: 2, text: 'n is {{ pipeline.input.n }}' }),
        { id: 'l', task: 'log', inputBindings: { message: '{{ a.text }}' }, startWhen: 'event:a.completed' },
        failing('f', 'event:a.completed && {{ a.n > 1 }}', {
          inputBindings: { message: 'n is {{ a.n }}', kind: 'rejected' },
        }),
        set('b', { m: '{{ f.error.kind }}' }, 'event:f.failed', {
          outputVariables: { twice: '{{ result.m + result.m }}' },
        }),
      ],
      { inputs: { n: 7 } },
      { inputs: { n: { type: 'number' } } },
    )
    expect(rehearsal.state.variables.get('a.text')?.value).toBe('n is 7')
    expect(rehearsal.nodes.get('f')?.error).toEqual({ kind: 'rejected', message: 'n is 2' })
    expect(rehearsal.state.variables.get('b.twice')?.value).toBe('rejectedrejected')
    expect([...rehearsal.nodes.values()].flatMap(({ invented }) => invented)).toEqual([])
  })

  it('unknown outputs are invented and listed, with everything that depends on them', () => {
    const rehearsal = played(
      [
        heavy('a'),
        noop('big', 'event:a.completed && {{ a.result.rows[0].n > 100 }}'),
        set('c', { first: '{{ a.result.rows[0].name }}' }, 'event:big.completed'),
        set('d', { text: '{{ c.first }}!' }, 'event:c.completed'),
        noop('e', 'event:d.completed'),
      ],
      {},
      { outputs: { text: { value: '{{ d.text }}' } } },
    )
    expect(rehearsal.state.variables.get('a.result')?.value).toEqual({ rows: [{ n: 101, name: 'sample' }] })
    expect(rehearsal.nodes.get('a')?.invented).toEqual(['result'])
    expect([...rehearsal.nodes].map(([id, { restsOn }]) => [id, restsOn])).toEqual([
      ['a', []],
      ['big', ['a.result']],
      ['c', ['a.result']],
      ['d', ['c.first']],
      ['e', []],
    ])
    expect(rehearsal.outputsRestOn).toEqual(['d.text'])
  })

  it('[H-1] checks are evaluated as in a run; what is invented holds for them, and is said to be', () => {
    const nodes = [heavy('a'), set('b', { n: 1 }, 'event:a.completed')]
    const check = (text: string) => played(nodes, {}, { verify: [{ name: 'x', check: text }] })
    const invented = check('{{ a.result.rows > 9 }}')
    expect(invented.view).toMatchObject({ status: 'completed', checks: [{ held: true }] })
    expect([invented.checksRestOn, invented.restsOn]).toEqual([['a.result'], ['a.result']])
    const failed = check('{{ b.n > 9 }}')
    expect(failed.view).toMatchObject({ status: 'failed', checks: [{ held: false, text: 'b.n is 1' }] })
    expect(failed.checksRestOn).toEqual([])
  })

  it('[H-1][R-26] a run that its policy rolls back is undone and begins again, as often as in a run', () => {
    const rollback = { task: 'log', inputBindings: { message: 'undo' } }
    const rehearsal = played(
      [set('a', { n: 1 }, undefined, { rollback }), noop('b', 'event:a.completed')],
      {},
      {
        verify: [{ name: 'x', check: '{{ a.n > 1 }}' }],
        policy: { rollback: { on: 'verify_failed', maxAttempts: 2 } },
      },
    )
    expect(rehearsal.view).toMatchObject({ status: 'failed', generation: 2 })
    expect(after(rehearsal, 'a.rolled_back')).toEqual([3_000])
    expect(after(rehearsal, 'pipeline.verifying')).toEqual([2_000, 5_000])
  })

  it('sample outputs are what the node leaves behind; what else is read of it is invented', () => {
    const query = {
      id: 'q',
      task: 'duckdb.query',
      inputBindings: { sql: 'select 1' },
      outputVariables: { days: '{{ result.rows[0].days }}', last: '{{ result.rows[0].last }}' },
      startWhen: 'event:pipeline.started',
    }
    const reader = set('r', { text: '{{ q.days }} until {{ q.last }}' }, 'event:q.completed')
    const rehearsal = played([query, reader], { nodes: { q: { outputs: { days: 9 } } } })
    expect(rehearsal.state.variables.get('r.text')?.value).toBe('9 until sample')
    expect(rehearsal.nodes.get('q')?.invented).toEqual(['last'])
  })

  it('[N-8] another pipeline is stood in for: its time, its outputs, its failure', () => {
    const nodes = [
      { id: 'sub', pipeline: 'other', startWhen: 'event:pipeline.started' },
      set('r', { v: '{{ sub.total }}' }, 'event:sub.completed'),
    ]
    const done = played(nodes, { nodes: { sub: { duration: '1m', outputs: { total: 3 } } } })
    expect(times(done)).toEqual(['sub: 0-60000', 'r: 60000-61000'])
    expect(done.state.variables.get('r.v')?.value).toBe(3)
    expect(done.view.nodes['sub']?.child_execution_id).toBe('rehearsal.child1')
    const unknown = played(nodes)
    expect(unknown.nodes.get('sub')?.invented).toEqual(['total'])
    const failed = played(nodes, { nodes: { sub: { failure: { message: 'no' } } } })
    expect(failed.nodes.get('sub')?.error).toMatchObject({
      kind: 'child_failed',
      message: 'other failed: no',
    })
    const cancelled = played(nodes, { cancel: { after: 10 } })
    expect(times(cancelled)).toEqual(['sub: 0-10', 'r: skipped'])
  })
})

describe('a rehearsal as a whole', () => {
  const many = (count: number) => [
    heavy('each', undefined, { forEach: { items: Array.from({ length: count }, (_, i) => i) } }),
  ]

  it('stops after as many happenings as it may have, and says so', () => {
    const endless = heavy('a', undefined, {
      retry: { maxAttempts: 100, strategy: 'fixed', delay: '1s', jitter: 0 },
    })
    const rehearsal = played([endless], { mostEvents: 50, nodes: { a: { failure: {} } } })
    expect(rehearsal.end).toEqual({ kind: 'stopped', status: 'running', events: 50 })
    expect(rehearsal.summary).toBe('stopped after 50 events; the run is running')
    expect(played(many(10_000), { nodes: { each: { failure: { kind: 'lost' } } } }).end).toMatchObject({
      events: 10_000,
    })
    expect(played(many(8), { mostEvents: 8 }).end.kind).toBe('finished')
    expect(played(many(8), { mostEvents: 7 }).end).toMatchObject({ kind: 'stopped', events: 7 })
  })

  it('[R-2] the same plan gives the same entries, and they fold into the view', () => {
    const nodes = [
      heavy('a', undefined, { retry: { maxAttempts: 3 } }),
      gate('g', {}, 'event:a.completed'),
      noop('n', 'event:g.approved'),
    ]
    const plan: RehearsalPlan = {
      startAt: '2026-06-01T00:00:00Z',
      nodes: { a: { failure: { attempts: 1 } } },
      approvals: { g: [{ decision: 'approved', after: '5m' }] },
    }
    const [first, second] = [played(nodes, plan), played(nodes, plan)]
    expect(second.entries).toEqual(first.entries)
    const state = emptyState('rehearsal', compiled({ nodes: [...nodes] }))
    for (const entry of first.entries) evolve(state, entry)
    expect(viewOf(state, first.endedAt)).toEqual(first.view)
    expect(first.view).toMatchObject({ status: 'completed', started_at: '2026-06-01T00:00:00.000Z' })
  })

  it('[H-4] the critical path counts what took time', () => {
    const nodes = [heavy('a'), heavy('b'), noop('c', 'event:a.completed && event:b.completed')]
    const rehearsal = played(nodes, { nodes: { a: { duration: 10 }, b: { duration: 5_000 } } })
    expect(rehearsal.view.critical_path).toEqual(['b', 'c'])
    expect(rehearsal.view.nodes['a']?.slack_ms).toBe(4_990)
  })
})
