import { describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import { compilePipeline } from '@/core/pipeline/definition/compile'
import { taskCatalog } from '@/tasks/contracts'
import { QUIET_MS, slicesOf } from './slices'
import { spansOf } from './spans'

const compiled = compilePipeline(
  {
    schemaVersion: 1,
    id: 'p',
    name: 'p',
    nodes: [
      { id: 'a', task: 'noop', startWhen: 'event:pipeline.started' },
      {
        id: 'ask',
        task: 'approval',
        inputBindings: { message: 'Go on?', approvers: ['role:approver'] },
        startWhen: 'event:a.completed',
      },
      { id: 'b', task: 'noop', startWhen: 'event:ask.completed' },
    ],
  },
  { revision: 1, tasks: taskCatalog },
)
if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues))
const { pipeline } = compiled

/** A journal of types and seconds. */
function journal(...events: readonly (readonly [type: string, second: number, payload?: object])[]): Entry[] {
  return events.map(([type, second, payload = {}], at) => {
    const task = type.includes('.task.')
    const [node = ''] = type.split('.')
    return {
      event: {
        id: `x.${at + 1}`,
        execution_id: 'x',
        seq: at + 1,
        type,
        source: { entity_type: node === 'pipeline' ? 'pipeline' : task ? 'task' : 'node', entity_id: node },
        generation: 1,
        ...(task ? { attempt: 1 } : {}),
        payload: payload as Entry['event']['payload'],
        timestamp: new Date(Date.UTC(2026, 10, 29) + second * 1_000).toISOString(),
      },
      variables: [],
    }
  })
}

const DAY = 86_400
const decided = journal(
  ['pipeline.created', 0],
  ['a.started', 0],
  ['a.task.started', 0],
  ['a.task.completed', 60],
  ['a.completed', 60],
  ['ask.waiting', 60],
  ['ask.approved', 3 * DAY],
  ['ask.completed', 3 * DAY],
  ['b.started', 3 * DAY],
  ['b.task.started', 3 * DAY],
  ['b.task.completed', 3 * DAY + 5],
  ['b.completed', 3 * DAY + 5],
  ['pipeline.completed', 3 * DAY + 5],
  ['pipeline.closed', 3 * DAY + 5],
)

describe('slices of a run', () => {
  it('[H-21] end where nobody works and nothing happens for a while, and not while somebody works', () => {
    expect(slicesOf(decided, pipeline)).toEqual([
      { first: 1, last: 6 },
      { first: 7, last: 14 },
    ])
    // As it was seen during the wait: the same first slice.
    expect(slicesOf(decided.slice(0, 6), pipeline)).toEqual([{ first: 1, last: 6 }])
    const soon = journal(['pipeline.created', 0], ['ask.waiting', 0], ['ask.approved', QUIET_MS / 1_000 - 1])
    expect(slicesOf(soon, pipeline)).toEqual([{ first: 1, last: 3 }])
  })

  it('[H-21] a rerun of a closed run is a slice of its own', () => {
    const again = journal(
      ['pipeline.created', 0],
      ['pipeline.closed', 1],
      ['pipeline.restarted', 2],
      ['pipeline.closed', 3],
    )
    expect(slicesOf(again, pipeline)).toEqual([
      { first: 1, last: 2 },
      { first: 3, last: 4 },
    ])
  })

  it('[H-21] each has the spans that ended in it, once, and the later ones stand below the first', () => {
    const run = { executionId: 'x', traceParent: null, pipeline }
    const [first, second] = slicesOf(decided, pipeline).map((slice) => spansOf(run, decided, slice))
    expect(first?.map(({ name }) => name)).toEqual(['run p', 'attempt noop', 'node a'])
    expect(second?.map(({ name }) => name)).toEqual(['run p', 'node ask', 'attempt noop', 'node b'])
    expect(second?.[0]?.parentSpanId).toBe(first?.[0]?.spanId)
    expect((second?.[1]?.to ?? 0) - (second?.[1]?.from ?? 0)).toBe((3 * DAY - 60) * 1_000)
    const ids = [...(first ?? []), ...(second ?? [])].map(({ spanId }) => spanId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('[H-21] of a forEach over thousands the first spans are sent, and how many are not', () => {
    const items = Array.from({ length: 2_500 }, (_, item) => item)
    const entries = journal(
      ['pipeline.created', 0],
      ...items.flatMap((): [string, number][] => [
        ['a.task.started', 0],
        ['a.task.completed', 1],
      ]),
    )
    const spans = spansOf({ executionId: 'x', traceParent: null, pipeline }, entries, {
      first: 1,
      last: entries.length,
    })
    expect(spans).toHaveLength(2_001)
    expect(spans[0]?.attributes['penstock.spans_left_out']).toBe(500)
  })
})
