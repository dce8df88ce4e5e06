import { describe, expect, it } from 'vitest'
import { evolve } from '@/core/engine/fold/evolve'
import { parseInstant } from '@/core/engine/instant'
import { emptyState } from '@/core/engine/state'
import { criticalChain } from '@/core/engine/timeline/chain'
import { forecast } from '@/core/engine/timeline/forecast'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'
import { parseDuration } from '@/core/pipeline/duration'
import { SLOTS } from '@/core/pipeline/definition/demand'
import { compiled, heavy, noop, S, wait, type NodeSpec } from '@/testing/engine-run'
import { Random } from '@/testing/simulation/random'
import type { RehearsalPlan } from './plan'
import { rehearse, type Rehearsal } from './rehearse'

const START = Date.UTC(2026, 0, 1)

function rehearsed(nodes: NodeSpec[], plan: RehearsalPlan): Rehearsal {
  const result = rehearse(compiled({ nodes }), { startAt: START, ...plan })
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.rehearsal
}

/** One root, 41 tasks that compete for four slots, and one that joins them. */
function wide(): NodeSpec[] {
  const tasks = Array.from({ length: 41 }, (_, at) => `t${at}`)
  const join = tasks.map((id) => `event:${id}.completed`).join(' && ')
  return [
    heavy('root', S, { estimate: '1s' }),
    ...tasks.map((id) => heavy(id, 'event:root.completed', { estimate: '3500ms' })),
    heavy('join', join, { estimate: '1s' }),
  ]
}

/** Nodes that wait for some of those before them and compete for slots, with lists and priorities. */
function randomNodes(random: Random): NodeSpec[] {
  const nodes: NodeSpec[] = []
  for (let index = 0; index < random.whole(2, 24); index += 1) {
    const before = nodes.filter(() => random.chance(0.25)).map(({ id }) => `event:${id}.completed`)
    const gate = before.length === 0 ? S : before.join(random.chance(0.8) ? ' && ' : ' || ')
    const estimate = `${random.whole(1, 9_000)}ms`
    const priority = random.chance(0.2) ? random.whole(0, 9) : 0
    const id = `n${index}`
    switch (random.pick(['wait', 'noop', 'list', 'list', ...Array<string>(6).fill('work')])) {
      case 'wait':
        nodes.push(wait(id, estimate, gate))
        break
      case 'noop':
        nodes.push(noop(id, gate, { estimate }))
        break
      case 'list': {
        const items = Array.from({ length: random.whole(0, 9) }, (_, at) => at)
        const concurrency = random.chance(0.5) ? { concurrency: random.whole(1, 3) } : {}
        nodes.push(heavy(id, gate, { estimate, priority, forEach: { items, ...concurrency } }))
        break
      }
      default:
        nodes.push(heavy(id, gate, { estimate, priority }))
    }
  }
  return nodes
}

describe('the forecast and the rehearsal', () => {
  it('[H-4] expect the same end of 43 tasks on four slots, and the only root has no slack', () => {
    const capacities = new Map([[SLOTS, 4]])
    const pipeline = compiled({ nodes: wide() })
    const { endedAt, entries, view } = rehearsed(wide(), { slots: 4 })
    // 11 rounds of 3.5 s between two of a second.
    expect(endedAt - START).toBe(40_500)
    const state = emptyState('x1', pipeline)
    for (const entry of entries) {
      evolve(state, entry)
      if (state.startedAt !== null && state.finishedAt === null)
        expect(forecast(state, parseInstant(entry.event.timestamp), { capacities }).end).toBe(endedAt)
    }
    // In the middle of the run the way ahead begins with what is at work, whatever waits for its slot.
    const middle = emptyState('x1', pipeline)
    const timeline = newTimeline(pipeline)
    for (const entry of entries.filter(({ event }) => parseInstant(event.timestamp) < START + 10_000)) {
      evolve(middle, entry)
      follow(timeline, entry)
    }
    const { ahead } = forecast(middle, START + 10_000, { capacities })
    expect(middle.nodes.get(ahead[0]!)?.status).toBe('running')
    expect(ahead).toHaveLength(10)
    expect(criticalChain(timeline, START + 10_000, ahead).at(-1)).toMatchObject({
      node: ahead[0],
      kind: 'run',
    })
    expect(view.critical_path[0]).toBe('root')
    expect(view.critical_path).toHaveLength(13)
    for (const id of view.critical_path) expect(view.nodes[id]).toMatchObject({ critical: true, slack_ms: 0 })
    // 41 tasks are ten rounds of four and one more.
    expect(Object.values(view.nodes).filter(({ slack_ms: slack }) => slack === 0)).toHaveLength(13)
  })

  it.each(Array.from({ length: 200 }, (_, index) => index + 1))(
    '[H-4] seed %i: from every instant of a rehearsal the forecast ends where the rehearsal does',
    (seed) => {
      const random = new Random(seed)
      const nodes = randomNodes(random)
      const slots = random.whole(1, 5)
      const { endedAt, entries, view } = rehearsed(nodes, { slots })
      const state = emptyState('x1', compiled({ nodes }))
      // Since when the next item of a list waits for its place no state says: from its middle it is known to one attempt.
      const lists = nodes.some(({ forEach }) => forEach !== undefined)
      const longest = Math.max(...nodes.map(({ estimate }) => parseDuration(String(estimate)) ?? 0))
      for (const [index, entry] of entries.entries()) {
        evolve(state, entry)
        const isStart = entry.event.type === 'pipeline.started'
        // In the middle of a commit nothing is expected of anything.
        const next = entries[index + 1]?.event.timestamp
        if (state.startedAt === null || (next === entry.event.timestamp && !isStart)) continue
        const at = parseInstant(entry.event.timestamp)
        const { end } = forecast(state, at, { capacities: new Map([[SLOTS, slots]]) })
        const where = `${seed}@${entry.event.seq} ${entry.event.type}`
        if (lists && !isStart) expect(Math.abs(end - endedAt), where).toBeLessThanOrEqual(longest)
        else expect(end - START, where).toBe(endedAt - START)
      }
      // When an item of a list that has ended left its place no state says.
      for (const { critical, slack_ms: slack } of lists ? [] : Object.values(view.nodes))
        if (critical) expect(slack).toBe(0)
    },
  )
})
