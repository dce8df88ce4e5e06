import { describe, expect, it } from 'vitest'
import { compiled, gate, heavy, noop, set, wait } from '@/testing/engine-run'
import { readPlan, REHEARSAL_LIMITS } from './plan'

const pipeline = compiled({
  inputs: { n: { type: 'number' } },
  nodes: [heavy('a'), gate('ok'), wait('w', '1s'), set('s', { v: 1 }), noop('n')],
})

const issues = (plan: unknown) => {
  const read = readPlan(pipeline, { inputs: { n: 1 }, ...(plan as object) })
  return read.ok
    ? []
    : read.issues.map(({ path, code, hint }) => [path.join('.'), code, ...(hint ? [hint] : [])])
}

describe('the door of a rehearsal', () => {
  it('fills in what a plan leaves out', () => {
    const read = readPlan(pipeline, { inputs: { n: 1 }, nodes: { a: { duration: '1m' } } })
    expect(read.ok && read.plan).toEqual({
      startAt: Date.UTC(2026, 0, 1),
      executionId: 'rehearsal',
      inputs: { n: 1 },
      actor: { name: 'rehearsal', roles: [] },
      history: {},
      nodes: { a: { duration: 60_000 } },
      approvals: {},
      events: [],
      mostEvents: 10_000,
    })
  })

  it('says how a duration is written', () => {
    const read = readPlan(pipeline, { inputs: { n: 1 }, nodes: { a: { duration: 'soon' } } })
    expect(!read.ok && read.issues[0]?.message).toMatch(/^'soon' is not a duration; write 250ms/)
  })

  it.each([
    [{ startAt: '2026-06-01T00:00:00+02:00' }, Date.UTC(2026, 4, 31, 22)],
    [{ startAt: 5 }, 5],
  ])('a start at %o', (plan, at) => {
    const read = readPlan(pipeline, { inputs: { n: 1 }, ...plan })
    expect(read.ok && read.plan.startAt).toBe(at)
  })

  it.each([
    ['a node that is not there', { nodes: { b: {} } }, [['nodes.b', 'unknown_node', 'did you mean a?']]],
    ['an approval that is none', { approvals: { a: [] } }, [['approvals.a', 'not_an_approval']]],
    ['history of nobody', { history: { zzz: 1 } }, [['history.zzz', 'unknown_node']]],
    [
      'work of an approval',
      { nodes: { ok: {} } },
      [['nodes.ok', 'no_work', 'plan its decisions in approvals']],
    ],
    [
      'work of a wait',
      { nodes: { w: { duration: 1 } } },
      [['nodes.w', 'no_work', 'its own duration says how long']],
    ],
    [
      'an unknown output',
      { nodes: { a: { outputs: { rseult: 1 } } } },
      [['nodes.a.outputs.rseult', 'unknown_output', 'did you mean result?']],
    ],
    [
      'an output of what has none',
      { nodes: { n: { outputs: { v: 1 } } } },
      [['nodes.n.outputs.v', 'unknown_output', 'it has none']],
    ],
    ['wrong inputs', { inputs: { n: 'x' } }, [['inputs.n', 'invalid_type']]],
    [
      'two ends',
      { nodes: { a: { attempts: [{ attempt: 1, duration: 1, lost: 'x', outputs: {} }] } } },
      [['nodes.a.attempts.0', 'invalid_value']],
    ],
    ['no duration', { nodes: { a: { duration: 'soon' } } }, [['nodes.a.duration']]],
    ['a negative time', { events: [{ type: 'external.x', after: -1 }] }, [['events.0.after']]],
    ['too many events', { mostEvents: REHEARSAL_LIMITS.events + 1 }, [['mostEvents']]],
    ['no slots', { slots: 0 }, [['slots']]],
    ['an unknown field', { slot: 1 }, [['slot']]],
  ])('refuses %s', (_what, plan, expected) => {
    expect(issues(plan).map((issue, index) => issue.slice(0, expected[index]?.length))).toEqual(expected)
  })

  it('refuses more nodes than it can play', () => {
    const nodes = Array.from({ length: REHEARSAL_LIMITS.nodes + 1 }, (_, index) => noop(`n${index}`))
    const read = readPlan(compiled({ nodes }), {})
    expect(!read.ok && read.issues[0]?.message).toBe('it has 5001 nodes; at most 5000 can be rehearsed')
  })
})
