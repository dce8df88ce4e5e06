import { producerOf } from '@/core/pipeline/gate/event-type'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { adjacencyOf, ancestryOf, levelsOf } from '@/core/pipeline/definition/graph'
import { gateAtoms } from '@/core/pipeline/gate/start-when'
import { Worlds } from './satisfiability'

/** What the proofs of one definition share. */
export type Proof = {
  pipeline: CompiledPipeline
  possible: Worlds
  readonly certain: Worlds
  /** Node → nodes that start because it failed, was rejected or timed out. */
  handlers: ReadonlyMap<string, readonly string[]>
  /** The nodes for whose events a node waits, and whose failure nobody deals with. */
  unhandledBefore(id: string): readonly string[]
  /** Whether the gate of a node waits for another node, directly or through others. */
  waitsFor: (id: string, ancestor: string) => boolean
  pathOf(node: CompiledNode, ...rest: (string | number)[]): (string | number)[]
}

/** The proof of a definition, of which nothing has been looked at yet. */
export function beginProof(pipeline: CompiledPipeline): Proof {
  const places = new Map([...pipeline.nodes.keys()].map((id, index) => [id, index]))
  // Most definitions raise no question that asks for the two.
  let ancestry: Proof['waitsFor'] | undefined
  let certain: Worlds | undefined
  const handlers = handlersIn(pipeline)
  const unhandled = new Map<string, readonly string[]>()
  return {
    pipeline,
    possible: new Worlds(pipeline, 'possible'),
    get certain() {
      return (certain ??= new Worlds(pipeline, 'certain'))
    },
    handlers,
    unhandledBefore(id) {
      const known = unhandled.get(id)
      if (known !== undefined) return known
      const found = unhandledIn(pipeline, id, handlers)
      unhandled.set(id, found)
      return found
    },
    waitsFor: (id, ancestor) => (ancestry ??= waitingIn(pipeline))(id, ancestor),
    pathOf: (node, ...rest) => ['nodes', places.get(node.id) ?? 0, ...rest],
  }
}

/** Types that tell a failure, as handlers name them. */
export const failureEvent = /\.(failed|rejected|timeout)$/

function handlersIn({ nodes, listeners }: CompiledPipeline): Map<string, string[]> {
  const handlers = new Map<string, string[]>()
  for (const [type, ids] of listeners) {
    if (!failureEvent.test(type)) continue
    const failed = producerOf(type)
    const starting = ids.filter((id) => {
      const node = nodes.get(id)
      return node && !node.finally && namesPositively(node, type)
    })
    if (starting.length > 0) handlers.set(failed, [...(handlers.get(failed) ?? []), ...starting])
  }
  return handlers
}

function unhandledIn({ nodes }: CompiledPipeline, id: string, handlers: Proof['handlers']): string[] {
  const node = nodes.get(id)
  if (node === undefined) return []
  const before = new Set<string>()
  for (const { atom, negated } of gateAtoms(node.gate))
    if (!negated && atom.kind === 'event') before.add(producerOf(atom.type))
  return [...before].filter((other) => nodes.get(other)?.allowFailure === false && !handlers.has(other))
}

function namesPositively({ gate }: CompiledNode, type: string): boolean {
  return gateAtoms(gate).some(({ atom, negated }) => !negated && atom.kind === 'event' && atom.type === type)
}

function waitingIn({ nodes, edges, conditionReaders }: CompiledPipeline): Proof['waitsFor'] {
  const waits = edges.filter(
    ({ kind, from, to }) => kind === 'event' || conditionReaders.get(from)?.includes(to),
  )
  const ids = [...nodes.keys()]
  const adjacency = adjacencyOf(ids, waits)
  return ancestryOf(levelsOf(ids, adjacency).levels, adjacency)
}
