import { describe, expect, it } from 'vitest'
import { systemPrincipal, type Principal } from '@/core/engine/principal'
import { EngineRun, ada, gate, noop } from '@/testing/engine-run'
import { person } from '@/testing/person'
import { ruleOf } from '@/core/engine/event-table'
import type { Event } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import { step } from '@/core/engine/step'
import { viewOf } from '@/core/engine/view/project'

const bob = person('bob', ['approver'])
/** Two doors of one person. */
const owner: Principal = { ...person('owner', ['approver']), id: 'usr_1' }
const token: Principal = { ...owner, name: 'bootstrap', via: 'token' }

const approve = (actor: Principal) =>
  ({ type: 'publish_event', eventType: 'external.g.approved', payload: {}, actor }) as const

/** The same events as a version wrote them that knew names only. */
function asBefore({ actor_id: _, ...event }: Event): Event {
  const { approver_id: __, approver_ids: ___, ...payload } = event.payload
  return { ...event, payload }
}

function foldedAsBefore(run: EngineRun): ExecutionState {
  const state = emptyState('x1', run.state.pipeline)
  for (const { event, variables } of run.entries) evolve(state, { event: asBefore(event), variables })
  return state
}

const refusalOf = (state: ExecutionState, actor: Principal) => {
  const admitRun = () => 'free' as const
  const context = { now: 0, shortage: () => null, admitRun, computing: { left: 0 }, newId: () => 'child' }
  const result = step(state, approve(actor), context)
  return result.ok ? null : result.rejection.code
}

describe('principals', () => {
  it('[R-92] events, votes and decisions hold the id and the name as it was shown', () => {
    const run = new EngineRun({ nodes: [gate('g', { quorum: 2 })] })
    run.take(approve(token))
    run.take({ type: 'pause', reason: null, hard: false, actor: ada })
    run.take({ type: 'resume', actor: ada })
    run.take(approve(bob))
    const by = (type: string) => run.entries.find(({ event }) => event.type === type)?.event
    expect(by('pipeline.created')).toMatchObject({ actor: 'ada', actor_id: 'usr_ada' })
    expect(by('pipeline.paused')).toMatchObject({ actor: 'ada', actor_id: 'usr_ada' })
    expect(by('external.g.approved')).toMatchObject({
      actor: 'bootstrap',
      actor_id: 'usr_1',
      payload: { approver: 'bootstrap', approver_id: 'usr_1' },
    })
    expect(by('g.approved')).toMatchObject({
      payload: {
        approver: 'bob',
        approver_id: 'usr_bob',
        approvers: ['bootstrap', 'bob'],
        approver_ids: ['usr_1', 'usr_bob'],
      },
    })
    expect(by('g.approved')).not.toHaveProperty('actor_id')
    expect(run.state.requestedBy).toEqual({ id: 'usr_ada', name: 'ada' })
    expect(viewOf(run.state, run.now)).toMatchObject({ requested_by: 'ada', requested_by_id: 'usr_ada' })
    run.drain().check()
  })

  it('[R-92] one voice each: a person who comes by a token, or has another name now, has voted', () => {
    const run = new EngineRun({ nodes: [gate('g', { quorum: 2 })] })
    run.take(approve(owner))
    expect(run.refusal(approve(token))).toMatchObject({ code: 'already_decided' })
    expect(run.refusal(approve({ ...owner, name: 'renamed' }))).toMatchObject({ code: 'already_decided' })
    expect(viewOf(run.state, run.now).nodes['g']?.approval?.votes).toMatchObject([
      { approver: 'owner', approver_id: 'usr_1' },
    ])
    // A name that was free again says nothing about who has it now.
    expect(run.take(approve({ ...bob, name: 'owner' }))).toContain('g.approved')
  })

  it('[R-92] excludeRequester goes by the id', () => {
    const run = new EngineRun({ nodes: [gate('g', { excludeRequester: true })] }, { actor: token })
    expect(run.refusal(approve(owner))).toMatchObject({ code: 'not_an_approver' })
    expect(run.take(approve(bob))).toContain('g.approved')
  })

  it('[R-92] whoever ran a run again is a requester as well, by whatever door', () => {
    const nodes = [noop('a'), gate('g', { excludeRequester: true })]
    const run = new EngineRun({ nodes })
    for (const actor of [owner, token, ada]) run.take({ type: 'rerun', nodes: ['a'], actor })
    expect(run.state.requesters.map(({ id }) => id)).toEqual(['usr_ada', 'usr_1'])
    expect(run.refusal(approve(token))).toMatchObject({ code: 'not_an_approver' })
    expect(run.refusal(approve(ada))).toMatchObject({ code: 'not_an_approver' })
    expect(run.take(approve(bob))).toContain('g.approved')
    run.drain().check()
  })

  it('[R-92] the owner has one voice across an update: votes were recorded by either handle', () => {
    const run = new EngineRun({ nodes: [gate('g', { quorum: 2 })] })
    run.take(approve(owner))
    expect(refusalOf(foldedAsBefore(run), token)).toBe('already_decided')
  })

  it('[R-92] a list names a person by id or handle; the owner has two handles', () => {
    const listed = (entry: string) => new EngineRun({ nodes: [gate('g', { approvers: [entry] })] })
    expect(listed('user:usr_1').take(approve({ ...owner, roles: [] }))).toContain('g.approved')
    expect(listed('user:owner').take(approve(token))).toContain('g.approved')
    expect(listed('user:bootstrap').take(approve(owner))).toContain('g.approved')
    expect(listed('user:usr_1').refusal(approve(bob)).code).toBe('not_an_approver')
    expect(listed('user:owner').refusal(approve({ ...bob, roles: [] })).code).toBe('not_an_approver')
    const waits = listed('user:usr_1')
    expect(viewOf(waits.state, waits.now).nodes['g']?.waiting_for?.names).toEqual(['user:usr_1'])
  })

  it('[R-92] a journal of before is read as it is: names, which are compared with names', () => {
    const run = new EngineRun({ nodes: [gate('g', { quorum: 2, excludeRequester: true })] })
    run.take(approve(token))
    const state = foldedAsBefore(run)
    expect(state.requestedBy).toEqual({ id: null, name: 'ada' })
    expect(viewOf(state, run.now)).toMatchObject({ requested_by: 'ada', requested_by_id: null })
    expect(refusalOf(state, ada)).toBe('not_an_approver')
    expect(refusalOf(state, token)).toBe('already_decided')
    // Nobody is called like an id.
    expect(refusalOf(state, { ...person('ada', ['approver']), id: 'bootstrap' })).toBe('not_an_approver')
    expect(refusalOf(state, bob)).toBeNull()
    expect(state.nodes.get('g')).toMatchObject({ status: 'completed' })
    expect(state.lifecycle).toBe('COMMIT')
  })

  it('[R-92] what a version wrote that knew names only fits the table of events', () => {
    const run = new EngineRun({ nodes: [gate('g'), noop('b', 'event:g.approved')] })
    run.take(approve(bob))
    for (const { event } of run.drain().entries) {
      const { payload } = asBefore(event)
      expect(ruleOf(event.type)?.payload.safeParse(payload).error, event.type).toBeUndefined()
    }
  })

  it('[R-92] schedules, hooks and the engine are principals of their own, without a role', () => {
    expect(systemPrincipal('schedule:p/daily', 'schedule:daily')).toEqual({
      id: 'sys_schedule:p/daily',
      kind: 'system',
      name: 'schedule:daily',
      roles: [],
      via: 'system',
    })
  })
})
