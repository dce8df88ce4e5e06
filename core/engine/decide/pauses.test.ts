import { describe, expect, it } from 'vitest'
import { childStep } from '@/core/engine/child-step'
import type { StartInput } from '@/core/engine/input'
import { ENGINE } from '@/core/engine/principal'
import { wanted } from '@/core/engine/wanted'
import { waitingFor } from '@/core/engine/view/waiting-for'
import { violations } from '@/core/engine/invariants'
import { evolve } from '@/core/engine/fold/evolve'
import { emptyState } from '@/core/engine/state'
import { EngineRun, S, ada, gate, heavy, noop } from '@/testing/engine-run'

const pause = (holder?: 'parent', hard = false) =>
  ({ type: 'pause', reason: null, hard, ...(holder ? { actor: ENGINE, holder } : { actor: ada }) }) as const
const resume = (holder?: 'parent') =>
  ({ type: 'resume', ...(holder ? { actor: ENGINE, holder } : { actor: ada }) }) as const

const parentOf = () => new EngineRun({ nodes: [{ id: 'sub', pipeline: 'child', startWhen: S }] })
const childOf = (parent: EngineRun, nodes = [heavy('t'), noop('u', 'event:t.completed')]) => {
  const attempt = parent.attempt('sub')
  const { node, generation, item, attempt: number, token } = attempt
  const key = { node, generation, item, attempt: number, token }
  const descent: NonNullable<StartInput['parent']> = { executionId: parent.state.executionId, key, depth: 1 }
  return new EngineRun({ nodes, id: 'child' }, { executionId: attempt.child!, parent: descent })
}

describe('pauses and who holds them', () => {
  it('[R-91] the parent ends only its own pause; what a person paused stays paused', () => {
    const child = childOf(parentOf())
    expect(child.take(pause())).toEqual(['pipeline.paused'])
    expect(child.take(pause('parent'))).toEqual(['pipeline.paused'])
    expect(child.state).toMatchObject({ paused: true, pauses: { person: 'soft', parent: 'soft' } })
    expect(child.take(resume('parent'))).toEqual(['pipeline.resumed'])
    expect(child.state).toMatchObject({ paused: true, pauses: { person: 'soft', parent: null } })
    child.complete('t', { result: 1 })
    expect(child.types).not.toContain('u.started')
    expect(child.take(resume())).toEqual(['pipeline.resumed', 'u.started', 'u.task.started'])
    child.check()
  })

  it('[R-91] a person cannot resume a run that its paused parent holds, and learns what to resume', () => {
    const child = childOf(parentOf())
    child.take(pause('parent'))
    expect(child.refusal(resume())).toMatchObject({
      code: 'parent_paused',
      message: expect.stringMatching(/its parent x1 is: resume the parent/) as string,
    })
    child.take(pause())
    expect(child.refusal(resume()).code).toBe('parent_paused')
    expect(child.state.paused).toBe(true)
  })

  it('[R-91] asking again changes nothing, but a hard pause of the parent is recorded after a soft one', () => {
    const child = childOf(parentOf())
    child.take(pause('parent'))
    expect(child.take(pause('parent'))).toEqual([])
    expect(child.take(pause('parent', true))).toEqual(['pipeline.paused', 't.task.lost', 't.queued'])
    expect(child.take(pause('parent', true))).toEqual([])
    expect(child.state.pauses).toEqual({ person: null, parent: 'hard' })
    child.take(resume('parent'))
    expect(child.take(resume('parent'))).toEqual([])
    expect(child.take(resume())).toEqual([])
    child.check()
  })

  it('[R-2][R-91] journals of earlier versions: a pause of the engine is the parent’s, any resume ended every pause', () => {
    const child = childOf(parentOf())
    const before = (events: readonly { type: string; actor: string }[]) => {
      const state = emptyState(child.state.executionId, child.state.pipeline)
      for (const entry of child.entries) evolve(state, entry)
      for (const { type, actor } of events) {
        const payload = type === 'pipeline.paused' ? { reason: null, hard: false } : {}
        const { actor_id: _id, ...first } = child.entries[0]!.event
        const event = { ...first, type, actor, payload, seq: state.seq + 1 }
        evolve(state, { event, variables: [] })
      }
      return state.pauses
    }
    const paused = { type: 'pipeline.paused', actor: 'engine' }
    const byAda = { type: 'pipeline.paused', actor: 'ada' }
    expect(before([paused])).toEqual({ person: null, parent: 'soft' })
    expect(before([byAda])).toEqual({ person: 'soft', parent: null })
    expect(before([paused, { type: 'pipeline.resumed', actor: 'ada' }])).toEqual({
      person: null,
      parent: null,
    })
    expect(before([byAda, { type: 'pipeline.resumed', actor: 'engine' }])).toEqual({
      person: null,
      parent: null,
    })
  })
})

describe('what a parent wants of its child', () => {
  it('[R-91] follows the pause, the resume and the cancel of the parent, step by step until nothing differs', () => {
    const parent = parentOf()
    const child = childOf(parent)
    const step = () => childStep(parent.state, child.state)
    expect(step()).toBeNull()
    parent.take(pause())
    expect(wanted(parent.state)).toMatchObject([{ kind: 'child', desired: 'paused', pause: 'soft' }])
    expect(step()).toEqual({ do: 'pause', mode: 'soft' })
    child.take(pause('parent'))
    expect(step()).toBeNull()
    parent.take(pause(undefined, true))
    parent.take(resume())
    expect(step()).toEqual({ do: 'resume' })
    child.take(resume('parent'))
    child.take(pause())
    expect(step()).toBeNull()
    parent.take({ type: 'cancel', reason: null, actor: ada })
    expect(wanted(parent.state)).toMatchObject([{ kind: 'child', desired: 'stopped' }])
    expect(step()).toMatchObject({ do: 'cancel' })
    child.take({ type: 'cancel', reason: null, actor: ENGINE })
    expect(step()).toBeNull()
    child.take({ type: 'lose_attempt', key: child.attempt('t'), reason: 'stopped' })
    expect(step()).toMatchObject({ do: 'notify' })
  })

  it('[R-91] one that nobody waits for is cancelled; one that was run again by itself only goes on', () => {
    const parent = parentOf()
    const child = childOf(parent)
    child.take(pause('parent'))
    expect(childStep(null, child.state)).toMatchObject({ do: 'cancel' })
    parent.take({ type: 'rerun', nodes: ['sub'], actor: ada })
    expect(childStep(parent.state, child.state)).toMatchObject({ do: 'cancel' })
    child.take({ type: 'rerun', nodes: ['t'], actor: ada })
    expect(childStep(parent.state, child.state)).toEqual({ do: 'resume' })
    child.take(resume('parent'))
    expect(childStep(parent.state, child.state)).toBeNull()
  })

  it('[R-91] a node says what its child waits for, and one whose child nobody moves is a violation', () => {
    const parent = parentOf()
    const child = childOf(parent, [gate('g')])
    const at = (id: string) => (id === child.state.executionId ? child.state : undefined)
    const text = () => waitingFor(parent.state, 'sub', at)?.text
    expect(text()).toBe(`waits for ${child.state.executionId}, which waits for a decision of role:approver`)
    child.take(pause())
    expect(text()).toMatch(/, which waits for the run to go on$/)
    expect(violations(parent.state, at)).toEqual([])
    child.take(pause('parent'))
    expect(text()).toMatch(/, which waits for its parent x1 to be resumed$/)
    expect(violations(parent.state, at)).toEqual([
      expect.stringMatching(/'sub' waits for child1, and nobody does what it needs: resume/) as string,
    ])
    parent.take(pause())
    expect(violations(parent.state, at)).toEqual([])
  })

  it('[R-91] the timer and the outcome are wanted as well', () => {
    const parent = parentOf()
    const child = childOf(parent, [heavy('t', S, { timeout: '5s' })])
    child.begin('t')
    expect(wanted(child.state)).toMatchObject([
      { kind: 'timer', at: child.now + 5_000 },
      { kind: 'attempt', key: 't', desired: 'running' },
    ])
    child.complete('t', { result: 1 })
    expect(wanted(child.state)).toMatchObject([
      { kind: 'notify', generation: 1, parent: { executionId: 'x1' } },
    ])
  })
})

it('[R-91] a pause of somebody called engine is no parent’s where there is no parent', () => {
  const run = new EngineRun({ nodes: [heavy('t')] })
  run.take({ type: 'pause', reason: null, hard: false, actor: ENGINE })
  expect(run.take({ type: 'resume', actor: ada })[0]).toBe('pipeline.resumed')
})
