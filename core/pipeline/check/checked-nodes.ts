import type { ReadGraph } from '@/core/pipeline/definition/definition-graph'
import type { Surroundings } from './surroundings'
import type { ReadNode } from '@/core/pipeline/definition/read-node'

type Found = {
  context: Surroundings['context']
  /** Only of nodes that ask it. */
  graph: ReadGraph | null
  sources: readonly (ReadNode | undefined)[]
}

/** All that the checks of a node look at. */
export type SeenByNode = {
  context: Surroundings['context']
  graph: ReadGraph
  byId: ReadonlyMap<string, ReadNode>
}

/**
 * Nodes with which nothing was wrong; that holds as long as they and all that they look at are the same. Nodes with mistakes are
 * looked at every time: what is suggested depends on everything.
 */
export function createCheckedNodes(): {
  is(node: ReadNode, seen: SeenByNode): boolean
  keep(node: ReadNode, seen: SeenByNode): void
} {
  const settled = new WeakMap<ReadNode, Found>()
  return {
    is(node, { context, graph, byId }) {
      const found = settled.get(node)
      return (
        found !== undefined &&
        found.context === context &&
        (found.graph === null || found.graph === graph) &&
        node.sources.every((id, at) => byId.get(id) === found.sources[at])
      )
    },
    keep(node, { context, graph, byId }) {
      const sources = node.sources.map((id) => byId.get(id))
      settled.set(node, { context, graph: node.readsAround ? graph : null, sources })
    },
  }
}
