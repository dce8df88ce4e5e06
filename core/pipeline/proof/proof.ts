import { producerOf } from '@/core/pipeline/gate/event-type'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { adjacencyOf, ancestryOf, levelsOf } from '@/core/pipeline/definition/graph'
import { Scenarios } from './satisfiability'

/** What the proofs of one definition share. */
export type Proof = {
  pipeline: CompiledPipeline
  possible: Scenarios
  readonly certain: Scenarios
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
  // Most definitions raise no question that asks for these.
  let places: ReadonlyMap<string, number> | undefined
  let ancestry: Proof['waitsFor'] | undefined
  let certain: Scenarios | undefined
  const handlers = handlersIn(pipeline)
  const unhandled = new Map<string, readonly string[]>()
  return {
    pipeline,
    possible: new Scenarios(pipeline, 'possible'),
    get certain() {
      return (certain ??= new Scenarios(pipeline, 'certain'))
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
    pathOf(node, ...rest) {
      places ??= new Map([...pipeline.nodes.keys()].map((id, index) => [id, index]))
      return ['nodes', places.get(node.id) ?? 0, ...rest]
    },
  }
}

/** Types that report a failure, as handlers name them. */
export const failureEvent = /\.(failed|rejected|timeout)$/

/** Of a definition that is edited the listeners often stay, and few of their events report a failure. */
const failuresHeard = new WeakMap<CompiledPipeline['listeners'], readonly string[]>()

function handlersIn({ nodes, listeners }: CompiledPipeline): Map<string, string[]> {
  const handlers = new Map<string, string[]>()
  const heard =
    failuresHeard.get(listeners) ?? [...listeners.keys()].filter((type) => failureEvent.test(type))
  failuresHeard.set(listeners, heard)
  for (const type of heard) {
    const failed = producerOf(type)
    const ids = listeners.get(type) ?? []
    const starting = ids.filter((id) => {
      const node = nodes.get(id)
      return node && !node.finally && node.awaited.has(type)
    })
    if (starting.length === 0) continue
    const others = handlers.get(failed)
    if (others === undefined) handlers.set(failed, starting)
    else for (const id of starting) others.push(id)
  }
  return handlers
}

function unhandledIn({ nodes }: CompiledPipeline, id: string, handlers: Proof['handlers']): string[] {
  const node = nodes.get(id)
  if (node === undefined) return []
  const before = new Set<string>()
  for (const type of node.awaited) before.add(producerOf(type))
  return [...before].filter((other) => nodes.get(other)?.allowFailure === false && !handlers.has(other))
}

function waitingIn({ nodes, edges, conditionReaders }: CompiledPipeline): Proof['waitsFor'] {
  const waits = edges.filter(
    ({ kind, from, to }) => kind === 'event' || conditionReaders.get(from)?.includes(to),
  )
  const ids = [...nodes.keys()]
  const adjacency = adjacencyOf(ids, waits)
  return ancestryOf(levelsOf(ids, adjacency).levels, adjacency)
}
