import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { typedEvent } from '@/core/engine/typed-event'
import type { Entry } from '@/core/engine/event'
import { logViolations, replayDiffers, violations } from '@/core/engine/invariants'
import { taskCatalog } from '@/tasks/contracts'
import { compiled } from '@/testing/engine-run'
import { Random } from '@/testing/simulation/random'
import { randomPipeline } from '@/testing/simulation/random-pipeline'
import { withRollback } from '@/testing/simulation/random-rollback'
import type { RehearsalPlan } from './plan'
import { rehearse } from './rehearse'

type Nodes = NonNullable<RehearsalPlan['nodes']>
type Approvals = NonNullable<RehearsalPlan['approvals']>

const CHILDREN = ['other']

/** A pipeline, and a plan that says something of some of it. */
function drawn(seed: number) {
  const random = new Random(seed)
  const definition = withRollback(
    randomPipeline(random, 'p', random.whole(1, 20), CHILDREN).definition,
    random,
  )
  const nodes: Nodes = {}
  const approvals: Approvals = {}
  for (const { id, task } of definition.nodes) {
    if (task === 'approval' && random.chance(0.6)) {
      approvals[id] = ['ada', 'bob'].map((by) => ({
        by,
        decision: random.pick(['approved', 'approved', 'rejected'] as const),
        after: random.whole(0, 40_000),
      }))
    }
    if (task === 'approval' || task === 'wait' || random.chance(0.5)) continue
    nodes[id] = {
      ...(random.chance(0.5) ? { duration: random.chance(0.1) ? null : random.whole(0, 3_000) } : {}),
      ...(random.chance(0.3)
        ? { failure: { kind: random.pick(['odd', 'lost']), attempts: random.pick(['all' as const, 1, 2]) } }
        : {}),
    }
  }
  const plan: RehearsalPlan = {
    nodes,
    approvals,
    events: [0, 1, 2]
      .filter(() => random.chance(0.5))
      .map((index) => ({ type: `external.e${index}`, after: random.whole(0, 30_000) })),
    ...(random.chance(0.6) ? { slots: random.whole(1, 3) } : {}),
    ...(random.chance(0.2) ? { cancel: { after: random.whole(0, 10_000) } } : {}),
    ...(random.chance(0.1) ? { mostEvents: random.whole(1, 20) } : {}),
  }
  return { pipeline: compiled(definition), plan }
}

/** The most attempts that held a slot at once. */
function mostAtOnce(entries: readonly Entry[], holds: (node: string) => boolean): number {
  let [held, most] = [0, 0]
  for (const { event } of entries) {
    const node = event.source.entity_id
    if (event.source.entity_type !== 'task' || !holds(node)) continue
    const typed = typedEvent(event)
    if (typed.level !== 'task') continue
    if (typed.word === 'started') held += 1
    // Of a lost attempt that goes on the worker is another, and the slot the same.
    if (typed.word === 'completed' || typed.word === 'failed') held -= 1
    if (typed.word === 'lost' && typed.payload.next_token === undefined) held -= 1
    most = Math.max(most, held)
  }
  return most
}

describe('rehearsals of random pipelines', () => {
  it('[R-1][R-2] hold what every run holds, are the same again, keep to the slots, and say how they ended', () => {
    const kinds = new Set<string>()
    fc.assert(
      fc.property(fc.nat(1_000_000), (seed) => {
        const { pipeline, plan } = drawn(seed)
        const [first, second] = [rehearse(pipeline, plan), rehearse(pipeline, plan)]
        if (!first.ok || !second.ok) throw new Error(JSON.stringify(first))
        const { entries, state, end, summary, view } = first.rehearsal
        kinds.add(end.kind)
        expect(second.rehearsal.entries).toEqual(entries)
        expect(violations(state)).toEqual([])
        expect(replayDiffers(state, entries)).toBe(false)
        const times = entries.map(({ event }) => event.timestamp)
        expect(times).toEqual([...times].sort())
        const holds = (node: string) =>
          (taskCatalog.get(pipeline.nodes.get(node)!.task)?.demands.length ?? 0) > 0
        expect(mostAtOnce(entries, holds)).toBeLessThanOrEqual(plan.slots ?? Infinity)
        expect(end.kind === 'finished').toBe(state.closedAt !== null)
        expect(end.status).toBe(view.status)
        expect(summary).not.toBe('')
        if (end.kind === 'finished') expect(logViolations(entries, state.pipeline.finallyNodes)).toEqual([])
      }),
      { numRuns: 300 },
    )
    expect([...kinds].sort()).toEqual(['finished', 'stopped', 'waits'])
  })
})
