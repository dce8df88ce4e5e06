import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { DefinitionDiff } from '@/core/pipeline/diff/diff'
import { draw, type Change, type Drawing } from './drawing'

/**
 * Two revisions in one drawing: the later one, with what is gone from it, each marked with what became of it. Under its new name
 * what was renamed. Pure.
 */
export function drawRevisionChanges(
  before: CompiledPipeline,
  after: CompiledPipeline,
  { nodes }: Pick<DefinitionDiff, 'nodes'>,
): Drawing {
  const [old, now] = [draw(before, null), draw(after, null)]
  const changes = new Map<string, Change>([
    ...nodes.moved.map((id) => [id, 'moved'] as const),
    ...nodes.changed.map(({ id }) => [id, 'changed'] as const),
    ...nodes.renamed.map(({ to }) => [to, 'changed'] as const),
    ...nodes.added.map((id) => [id, 'added'] as const),
  ])
  const names = new Map(nodes.renamed.map(({ from, to }) => [from, to]))
  const present = new Set(now.nodes.map(({ id }) => id))
  const lines = new Set(now.edges.map(({ from, to }) => `${from}>${to}`))
  const gone = old.edges
    .map((edge) => ({ ...edge, from: names.get(edge.from) ?? edge.from, to: names.get(edge.to) ?? edge.to }))
    .filter(({ from, to }) => !lines.has(`${from}>${to}`))
    .map((edge) => ({ ...edge, id: `gone ${edge.from}>${edge.to}`, change: 'removed' as const }))
  const were = new Set(old.edges.map(({ from, to }) => `${names.get(from) ?? from}>${names.get(to) ?? to}`))
  const removed = old.nodes.filter(({ id }) => !present.has(id) && !names.has(id))
  return {
    nodes: [
      ...now.nodes.map((node) => withChange(node, changes.get(node.id))),
      ...removed.map((node) => withChange(node, 'removed')),
    ].map((node) => ({
      ...node,
      // A line that is gone still begins at its handle.
      outcomes: [
        ...new Set([
          ...node.outcomes,
          ...gone.filter(({ from }) => from === node.id).map(({ port }) => port),
        ]),
      ],
    })),
    edges: [
      ...now.edges.map((edge) =>
        were.has(`${edge.from}>${edge.to}`) ? edge : { ...edge, change: 'added' as const },
      ),
      ...gone,
    ],
  }
}

const withChange = <T extends object>(thing: T, change: Change | undefined) =>
  change === undefined ? thing : { ...thing, change }
