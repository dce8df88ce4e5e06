import { describe, expect, it } from 'vitest'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import { createRehearser, type RehearsedPipeline } from './rehearser'
import {
  createScenario,
  fittedTo,
  externalEvents,
  plannedText,
  tidy,
  withDecisions,
  withEvent,
  withHistory,
  withNode,
  withoutNode,
} from './scenario'

const S = 'event:pipeline.started'

function pipelineOf(nodes: readonly object[]): RehearsedPipeline {
  const answer = createRehearser()({ definition: { id: 'p', nodes }, ask: { kind: 'rehearse', plan: {} } })
  if (answer.kind !== 'rehearsed') throw new Error(JSON.stringify(answer))
  return answer.shown.pipeline
}

describe('the scenario of a rehearsal', () => {
  it('says only what differs', () => {
    const scenario = createScenario()
    scenario.change(withNode('a', { failure: { attempts: 2 } }))
    scenario.change(withNode('a', { duration: '5s' }))
    scenario.change(withNode('b', { duration: '' }))
    expect(scenario.getState().plan).toEqual({
      nodes: { a: { failure: { attempts: 2 }, duration: '5s' }, b: { duration: '' } },
    })
    scenario.change(withNode('a', { failure: undefined }))
    scenario.change(withNode('b', { duration: undefined }))
    scenario.change(withDecisions('ask', [{ decision: 'approved' }]))
    expect(scenario.getState().plan).toEqual({
      nodes: { a: { duration: '5s' } },
      approvals: { ask: [{ decision: 'approved' }] },
    })
    scenario.change(withoutNode('a'))
    scenario.change(withDecisions('ask', []))
    expect(scenario.getState().plan).toEqual({})
    // What never ends is said by null, which is not nothing.
    expect(tidy({ nodes: { a: { duration: null } }, history: {} })).toEqual({
      nodes: { a: { duration: null } },
    })
  })

  it('lets an event come, later, and not at all, among others', () => {
    const other = { type: 'external.other', after: '1s' }
    const come = withEvent('external.go', {})({ events: [other] })
    expect(come.events).toEqual([other, { type: 'external.go' }])
    const later = withEvent('external.go', { after: '5m' })(come)
    expect(later.events).toEqual([other, { type: 'external.go', after: '5m' }])
    expect(withEvent('external.go', { after: undefined })(later)).toEqual(come)
    expect(withEvent('external.go', null)(later)).toEqual({ events: [other] })
  })

  it('knows which events can come from outside, and leaves decisions to people', () => {
    const pipeline = pipelineOf([
      { id: 'ask', task: 'approval', startWhen: S, inputBindings: { message: '?', approvers: ['user:ada'] } },
      { id: 'go', task: 'noop', startWhen: 'event:ask.approved && event:external.go' },
      { id: 'on', task: 'noop', startWhen: 'event:external.go || event:external.later' },
    ])
    expect(externalEvents(pipeline)).toEqual(['external.go', 'external.later'])
    const plan: RehearsalPlan = {
      executionId: 'r',
      nodes: { go: { duration: 5 }, gone: { duration: 5 } },
      approvals: { ask: [{ decision: 'approved' }], left: [] },
      history: { gone: 3 },
    }
    expect(fittedTo(plan, pipeline)).toEqual({
      executionId: 'r',
      nodes: { go: { duration: 5 } },
      approvals: { ask: [{ decision: 'approved' }] },
    })
  })

  it('begins with other durations, and forgets the run with which it began', () => {
    const plan: RehearsalPlan = {
      startAt: 5,
      executionId: 'run',
      inputs: { n: 1 },
      nodes: { a: { attempts: [{ attempt: 1, duration: 5 }] }, b: { failure: {}, attempts: [] } },
      history: { a: 1 },
    }
    expect(tidy(withHistory({ b: 7 })(plan))).toEqual({
      inputs: { n: 1 },
      nodes: { b: { failure: {} } },
      history: { b: 7 },
    })
  })

  it('is summarized in a few words', () => {
    const plan: RehearsalPlan = {
      nodes: {
        a: { failure: {} },
        b: { failure: { attempts: 1 }, duration: '5s' },
        c: { failure: { kind: 'lost', attempts: 2 } },
        d: { duration: null },
        e: { outputs: { rows: 3 }, duration: 1_500 },
        f: { attempts: [{ attempt: 1, duration: 5 }] },
      },
      approvals: { ask: [{ decision: 'approved', after: '1h' }, { decision: 'rejected' }] },
    }
    expect(['a', 'b', 'c', 'd', 'e', 'f', 'ask', 'none'].map((id) => plannedText(plan, id))).toEqual([
      'fails',
      'fails once, takes 5s',
      'is lost 2 times',
      'never ends by itself',
      'takes 1500 ms, gives outputs',
      'as in the run',
      'approved after 1h, rejected',
      '',
    ])
  })
})
