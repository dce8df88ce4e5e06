import { describe, expect, it } from 'vitest'
import { EngineRun, ada, gate, noop, set } from '@/testing/engine-run'
import { viewOf } from '@/core/engine/view/project'
import { person } from '@/testing/person'

const bob = person('bob', ['approver'])
const eve = person('eve', ['admin', 'operator'])
const approve = (node: string, actor = ada, payload = {}) =>
  ({ type: 'publish_event', eventType: `external.${node}.approved`, payload, actor }) as const
const reject = (node: string, actor = ada, payload = {}) =>
  ({ type: 'publish_event', eventType: `external.${node}.rejected`, payload, actor }) as const

describe('approvals', () => {
  it('[A-1][R-51] opens with everything rendered, and the run waits for people', () => {
    const run = new EngineRun({
      nodes: [
        set('a', { rows: 7 }),
        gate(
          'g',
          { message: '{{ a.rows }} rows', approvers: ['user:ada', 'role:approver'] },
          'event:a.completed',
        ),
      ],
    })
    run.complete('a', { rows: 7 })
    expect(run.payload('g.waiting')).toMatchObject({
      for: 'people',
      message: '7 rows',
      approvers: ['user:ada', 'role:approver'],
      quorum: 1,
      due_at: null,
    })
    const view = viewOf(run.state, run.now)
    expect(view.status).toBe('waiting')
    expect(view.nodes['g']).toMatchObject({
      status: 'waiting',
      approval: { message: '7 rows' },
      waiting_for: { kind: 'people' },
    })
  })

  it('[A-2][A-4][E-O2][R-51] a decision publishes the external event, then approved and completed, with its outputs', () => {
    const run = new EngineRun({ nodes: [gate('approval'), noop('yes', 'event:approval.approved')] })
    const types = run.take(approve('approval', ada, { comment: 'fine' }))
    expect(types.slice(0, 3)).toEqual([
      'external.approval.approved',
      'approval.approved',
      'approval.completed',
    ])
    expect(run.payload('external.approval.approved')).toEqual({
      approver: 'ada',
      approver_id: 'usr_ada',
      comment: 'fine',
      form: null,
    })
    expect(run.value('approval.decision')).toBe('approved')
    expect(run.value('approval.approver')).toBe('ada')
    expect(run.value('approval.comment')).toBe('fine')
    expect(run.value('approval.decided_at')).toBe('2026-01-01T00:00:00.000Z')
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[A-3][R-57] a second decision is refused, by any person', () => {
    const run = new EngineRun({ nodes: [gate('g'), noop('b', 'event:g.approved')] })
    run.take(approve('g'))
    expect(run.refusal(approve('g'))).toMatchObject({ code: 'already_decided' })
    expect(run.refusal(reject('g', bob))).toMatchObject({ code: 'already_decided' })
  })

  it('[R-51] a rejection emits rejected and failed; who handles it keeps the run alive', () => {
    const run = new EngineRun({
      nodes: [gate('g'), noop('yes', 'event:g.approved'), noop('no', 'event:g.rejected')],
    })
    const types = run.take(reject('g', ada, { comment: 'too few' }))
    expect(types.slice(0, 3)).toEqual(['external.g.rejected', 'g.rejected', 'g.failed'])
    expect(run.node('g')).toMatchObject({
      status: 'failed',
      error: { kind: 'rejected', message: 'rejected by ada: too few' },
    })
    expect(run.node('yes').status).toBe('skipped')
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[A-2][R-65] only a listed approver may decide; holding every right does not help', () => {
    const run = new EngineRun({ nodes: [gate('g', { approvers: ['user:bob', 'role:approver'] })] })
    expect(run.refusal(approve('g', eve))).toMatchObject({ code: 'not_an_approver' })
    expect(run.take(approve('g', person('bob')))).toContain('g.approved')
  })

  it('[R-65] before it waits, a decision is refused as such, even for an approver', () => {
    const run = new EngineRun({ nodes: [noop('a'), gate('g', {}, 'event:a.completed')] })
    expect(run.refusal(approve('g'))).toMatchObject({ code: 'not_waiting' })
    expect(run.refusal(approve('g', eve))).toMatchObject({ code: 'not_waiting' })
  })

  it('[R-65] the actor is who asked: one in the payload is ignored', () => {
    const run = new EngineRun({ nodes: [gate('g')] })
    run.take(approve('g', ada, { approver: 'the boss', actor: 'root' }))
    expect(run.payload('external.g.approved')).toMatchObject({ approver: 'ada' })
    expect(run.entries.find(({ event }) => event.type === 'external.g.approved')?.event.actor).toBe('ada')
  })

  it('[R-51] who has decided is named, and no longer waited for', () => {
    const run = new EngineRun({ nodes: [gate('g', { approvers: ['user:ada', 'user:bob'], quorum: 2 })] })
    run.take(approve('g'))
    expect(viewOf(run.state, run.now).nodes['g']?.waiting_for).toEqual({
      kind: 'people',
      text: 'waits for a decision of user:bob; so far ada approved',
      names: ['user:bob'],
    })
  })

  it('[R-65] an approval cannot be mocked', () => {
    expect(() => new EngineRun({ nodes: [gate('g')] }, { mocks: { g: { outputs: {} } } })).toThrow(
      'unknown_mock',
    )
  })

  it('[R-51] quorum counts one voice each; a single rejection rejects unless rejectQuorum says otherwise', () => {
    const run = new EngineRun({ nodes: [gate('g', { quorum: 2, rejectQuorum: 2 })] })
    expect(run.take(approve('g', ada))).toEqual(['external.g.approved'])
    expect(run.refusal(approve('g', ada))).toMatchObject({ code: 'already_decided' })
    expect(viewOf(run.state, run.now).nodes['g']?.approval?.votes).toHaveLength(1)
    expect(run.take(reject('g', person('cy', ['approver'])))).toEqual(['external.g.rejected'])
    expect(run.take(approve('g', bob))).toContain('g.approved')
    run.check()
    const one = new EngineRun({ nodes: [gate('g', { quorum: 2 })] })
    one.take(approve('g', ada))
    expect(one.take(reject('g', bob))).toContain('g.rejected')
  })

  it('excludeRequester keeps who started the run from deciding', () => {
    const run = new EngineRun({ nodes: [gate('g', { excludeRequester: true })] }, { actor: ada })
    expect(run.refusal(approve('g', ada))).toMatchObject({ code: 'not_an_approver' })
    expect(run.take(approve('g', bob))).toContain('g.approved')
  })

  it('a form is held against its fields: required ones bind an approval, all issues at once', () => {
    const form = { count: { type: 'number' }, why: { type: 'string', required: false } }
    const run = new EngineRun({ nodes: [gate('g', { form })] })
    const refusal = run.refusal(approve('g', ada, { form: { count: 'x', other: 1 } }))
    expect(refusal.code).toBe('invalid_form')
    expect(refusal.issues?.map((issue) => issue.path.join('.')).sort()).toEqual(['form.count', 'form.other'])
    run.take(approve('g', ada, { form: { count: 3 } }))
    expect(run.value('g.form')).toEqual({ count: 3, why: null })
  })

  it('[R-71][R-72] a deadline emits timeout and failed; a late decision is refused', () => {
    const run = new EngineRun({ nodes: [gate('g', { timeout: '1h' }), noop('late', 'event:g.timeout')] })
    expect(run.pass(3_599_999)).toEqual([])
    expect(run.pass(1)).toEqual(expect.arrayContaining(['g.timeout', 'g.failed', 'late.started']))
    expect(run.node('g')).toMatchObject({ status: 'failed', error: { kind: 'timeout' } })
    expect(run.refusal(approve('g'))).toMatchObject({ code: 'already_decided' })
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-71] onTimeout: approve emits timeout, approved and completed', () => {
    const run = new EngineRun({
      nodes: [gate('g', { timeout: '1h', onTimeout: 'approve' }), noop('b', 'event:g.approved')],
    })
    expect(run.pass(3_600_000).slice(0, 3)).toEqual(['g.timeout', 'g.approved', 'g.completed'])
    expect(run.value('g.approver')).toBe(null)
    run.drain().check()
  })

  it('[R-37] an approval holds no slot and is not counted as running', () => {
    const run = new EngineRun({ nodes: [gate('g')] }, { slots: 0 })
    expect(run.node('g').status).toBe('waiting')
    expect(run.state.held.size).toBe(0)
  })
})
