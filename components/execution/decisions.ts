import type { ArtifactSummary } from '@/components/api'
import { isTable, type ValueRow } from '@/components/ui/value-rows'
import { isApprover } from '@/core/engine/decide/is-approver'
import type { Principal } from '@/core/engine/principal'
import type { ApprovalView, ExecutionView } from '@/core/engine/view/view'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'

type Nodes = ExecutionView['nodes']

/** The nodes on which this person can decide now, in the order of the definition. Nothing of the past can be decided. */
export function decisionsOf(
  {
    view,
    past,
    pipeline,
  }: { view: Pick<ExecutionView, 'nodes'>; past: unknown; pipeline: Pick<CompiledPipeline, 'nodes'> },
  who: Pick<Principal, 'id' | 'name' | 'roles'>,
): string[] {
  if (past !== null) return []
  return [...pipeline.nodes.keys()].filter((id) => {
    const node = view.nodes[id]
    if (node?.status !== 'waiting' || node.approval === null) return false
    const { approvers, votes } = node.approval
    return isApprover(approvers, who) && votes.every((vote) => vote.approver_id !== who.id)
  })
}

/** Approvals so far. */
export const approvedOf = ({ votes }: Pick<ApprovalView, 'votes'>): number =>
  votes.filter(({ decision }) => decision === 'approved').length

type Table = { readonly node: string; readonly name: string; readonly rows: readonly ValueRow[] }

const MOST_FILES = 8
const MOST_TABLES = 3

/** What a question is about: files and tables of the nodes before it, the nearest first. */
export function evidenceOf(
  pipeline: Pick<CompiledPipeline, 'predecessors'>,
  nodes: Nodes,
  artifacts: readonly ArtifactSummary[],
  nodeId: string,
): { readonly files: readonly ArtifactSummary[]; readonly tables: readonly Table[] } {
  const before = new Set<string>()
  let level: readonly string[] = [nodeId]
  while (level.length > 0) {
    level = [...new Set(level.flatMap((id) => pipeline.predecessors.get(id) ?? []))].filter(
      (id) => !before.has(id),
    )
    for (const id of level) before.add(id)
  }
  const files = [...before].flatMap((id) => artifacts.filter((file) => file.node_id === id))
  const tables = [...before].flatMap((id) =>
    Object.entries(nodes[id]?.outputs ?? {}).flatMap(([name, value]) =>
      isTable(value) ? [{ node: id, name, rows: value }] : [],
    ),
  )
  return {
    files: files.slice(0, MOST_FILES),
    // The columns of a query stand over its rows.
    tables: tables.filter(({ name }) => name !== 'columns').slice(0, MOST_TABLES),
  }
}
