import { describe, expect, it } from 'vitest'
import { compiled, EngineRun, ada } from '@/testing/engine-run'
import { play, resultOf } from '@/testing/play-run'
import { Random } from '@/testing/simulation/random'
import { randomPipeline } from '@/testing/simulation/random-pipeline'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { emptyState } from '@/core/engine/state'
import { evolve } from '@/core/engine/fold/evolve'
import { snapshotOf } from './fork'
import { closureOf, resetSetOf } from './reset'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'

/**
 * A pipeline whose results do not depend on who is faster: no deadline of the run, no failFast, and where a node can handle a
 * failure or start without it, whichever comes first, failures are allowed. Conditions ask only for values that are there: an
 * error would decide a gate or not, by when it comes.
 */
function definitionOf(random: Random, size: number): PipelineDefinition {
  let { definition } = randomPipeline(random, 'p', size, [])
  while (mayFailToAsk(definition)) definition = randomPipeline(random, 'p', size, []).definition
  const racy = definition.nodes.some(
    ({ startWhen }) => /\|\||!/.test(startWhen) && /\.(failed|rejected|timeout)/.test(startWhen),
  )
  const nodes = definition.nodes.map((node) => (racy ? { ...node, allowFailure: true } : node))
  return { ...definition, nodes, policy: {} }
}

/** Does a condition stand without `event:x.completed` beside it, or ask a list whether it is greater? */
function mayFailToAsk({ nodes }: PipelineDefinition): boolean {
  const lists = new Set(nodes.filter(({ forEach }) => forEach !== undefined).map(({ id }) => id))
  const guarded = /\(event:(\w+)\.completed\) && \(\{\{ \1\.v > \d+ \}\}\)/g
  return nodes.some(({ startWhen }) =>
    startWhen.replace(guarded, (text, id: string) => (lists.has(id) ? text : '')).includes('{{'),
  )
}

const some = (random: Random, ids: readonly string[]) => {
  const chosen = ids.filter(() => random.chance(0.2))
  return chosen.length > 0 ? chosen : [random.pick(ids)]
}

/** Every node that the text of a node names, by the text alone. */
function namedBy(node: PipelineDefinition['nodes'][number]): Set<string> {
  return new Set([...JSON.stringify(node).matchAll(/\b(n\d+)\./g)].map((match) => match[1]!))
}

describe('resets of random pipelines', () => {
  it('[R-54] [R-64] the set is the nodes named and exactly what their text leads to', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = new Random(seed)
      const definition = definitionOf(random, random.whole(2, 25))
      const nodes = definition.nodes.map((node, index) => {
        const before = definition.nodes.slice(0, index).map(({ id }) => id)
        if (node.task !== 'set' || node.finally || before.length === 0 || random.chance(0.5)) return node
        const reading = `{{ ${random.pick(before)}.v }}`
        const where = random.whole(0, 2)
        if (where === 0) return { ...node, inputBindings: { v: reading } }
        if (where === 1) return { ...node, outputVariables: { v: reading } }
        return { ...node, forEach: { items: `{{ [${random.pick(before)}.v] }}` } }
      })
      const pipeline = compiled({ ...definition, nodes })
      const asked = some(random, [...pipeline.nodes.keys()])
      // By brute force: nodes that name one of the set join it, until there are no more.
      const set = new Set([...asked, ...nodes.filter((node) => node.finally).map(({ id }) => id)])
      for (let before = -1; before !== set.size;) {
        before = set.size
        for (const node of nodes) if ([...namedBy(node)].some((id) => set.has(id))) set.add(node.id)
      }
      expect(closureOf(pipeline, asked), `seed ${seed}`).toEqual(
        nodes.map(({ id }) => id).filter((id) => set.has(id)),
      )
    }
  })

  it('[R-63] [R-64] a run that is run again, at any time and however often, ends as a fresh one does', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = new Random(seed)
      const definition = definitionOf(random, random.whole(1, 12))
      const fresh = new EngineRun(definition)
      play(fresh)
      const again = new EngineRun(definition)
      play(again, random.whole(0, 60))
      for (let round = random.whole(1, 3); round > 0; round--) {
        const asked = some(random, [...again.state.nodes.keys()])
        const before = new Map([...again.state.nodes].map(([id, { generation }]) => [id, generation]))
        const plan = resetSetOf(again.state, asked)
        if (!plan.ok) throw new Error(plan.rejection.message)
        const from = again.entries.length
        again.take({ type: 'rerun', nodes: asked, actor: ada })
        const resets = again.types.slice(from).filter((type) => type.endsWith('.reset'))
        expect(resets, `seed ${seed}`).toEqual(plan.nodes.map((id) => `${id}.reset`))
        for (const [id, node] of again.state.nodes) {
          const expected = plan.nodes.includes(id) ? again.state.generation : before.get(id)
          expect(node.generation, `seed ${seed}: ${id}`).toBe(expected)
        }
        play(again, random.chance(0.5) ? undefined : random.whole(0, 60))
      }
      play(again)
      expect(resultOf(again.state), `seed ${seed}`).toEqual(resultOf(fresh.state))
      again.check()
    }
  })

  it('[R-78] a fork at every seq of a run, also of one that was run again, ends as the run did', () => {
    for (let seed = 1; seed <= 25; seed++) {
      const random = new Random(seed)
      const definition = definitionOf(random, random.whole(1, 9))
      const run = new EngineRun(definition)
      play(run)
      if (random.chance(0.5)) {
        run.take({ type: 'rerun', nodes: some(random, [...run.state.nodes.keys()]), actor: ada })
        play(run)
      }
      const prefix = emptyState('x1', run.state.pipeline)
      for (const entry of run.entries) {
        evolve(prefix, entry)
        const snapshot = snapshotOf(prefix, run.state.pipeline, { newInputs: false })
        const origin = { executionId: 'x1', seq: prefix.seq, snapshot }
        const fork = new EngineRun(definition, { origin })
        const kept = snapshot.variables.flatMap(({ name }) => nodeOfSnapshot(name) ?? [])
        play(fork)
        const where = `seed ${seed}, seq ${prefix.seq} (${entry.event.type})`
        expect(resultOf(fork.state), where).toEqual(resultOf(run.state))
        // What had ended is not done again.
        for (const id of kept) expect(fork.count(`${id}.started`), `${where}: ${id}`).toBe(0)
        fork.check()
      }
    }
  })
})
