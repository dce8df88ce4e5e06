import { describe, expect, expectTypeOf, it } from 'vitest'
import type { NodeError } from './event'
import { ruleOf, type EVENT_TABLE } from './event-table'
import { nodeFact, type Fact } from './decide/fact'
import { typedEvent, type NodeEvent, type PayloadOf, type PipelineEvent, type TaskEvent } from './typed-event'
import { EngineRun, noop } from '@/testing/engine-run'

const about = { node: 'a', generation: 1 }

describe('typed events', () => {
  it('reads the type once, and gives the payload as it stands', () => {
    const run = new EngineRun({ nodes: [noop('a')] })
    run.drain()
    for (const { event } of run.entries) {
      const typed = typedEvent(event)
      expect(typed.level).toBe(event.source.entity_type)
      expect(typed.payload).toBe(event.payload)
    }
  })

  it('is loud about a word that is not in the table, also one that every object has', () => {
    const run = new EngineRun({ nodes: [noop('a')] })
    const event = run.entries[0]!.event
    for (const type of ['pipeline.exploded', 'a.exploded', 'a.task.exploded', 'a.constructor', 'alone'])
      expect(() => typedEvent({ ...event, type })).toThrow(`unknown event ${type}`)
    expect(ruleOf('a.constructor')).toBeUndefined()
  })

  it('knows the payload by level and word', () => {
    expectTypeOf<PayloadOf<'pipeline', 'failed'>['error']>().toEqualTypeOf<NodeError>()
    expectTypeOf<PayloadOf<'node', 'queued'>['attempt']>().toEqualTypeOf<number>()
    expectTypeOf<PayloadOf<'task', 'started'>['timeout_at']>().toEqualTypeOf<string | undefined>()
    const words = (typed: PipelineEvent | NodeEvent | TaskEvent) => typed.word
    expectTypeOf<ReturnType<typeof words>>().toEqualTypeOf<
      | keyof (typeof EVENT_TABLE)['pipeline']
      | keyof (typeof EVENT_TABLE)['node']
      | keyof (typeof EVENT_TABLE)['task']
    >()
  })

  it('takes no fact with another payload than the table gives its word', () => {
    expectTypeOf(nodeFact<'timeout'>)
      .parameter(2)
      .toEqualTypeOf<{ readonly due_at: string }>()
    expectTypeOf<{ readonly due: string }>().not.toExtend<PayloadOf<'node', 'timeout'>>()
    expectTypeOf<'exploded'>().not.toExtend<NodeEvent['word']>()
    expectTypeOf(nodeFact(about, 'timeout', { due_at: '2026-01-01T00:00:00.000Z' })).toEqualTypeOf<Fact>()
  })
})
