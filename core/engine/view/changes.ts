import type { Json, ValueRef } from '@/core/engine/event'
import { isItemVariable } from '@/core/engine/decide/item-variable'
import type { ExecutionState } from '@/core/engine/state'
import type { NodeStatus } from './view'

type Written = { readonly value: Json; readonly ref?: ValueRef; readonly seq: number }

/** What can be compared of a run at an instant; it stays as it is when the run goes on. */
export type Picture = {
  readonly seq: number
  readonly nodes: ReadonlyMap<string, NodeStatus>
  readonly variables: ReadonlyMap<string, Written>
}

export type NodeChange = { readonly node: string; readonly from: NodeStatus; readonly to: NodeStatus }
/** null: it is not there. */
export type VariableChange = {
  readonly name: string
  readonly from: Written | null
  readonly to: Written | null
}

export function pictureOf(state: ExecutionState): Picture {
  const variables = new Map<string, Written>()
  for (const [name, written] of state.variables) if (!isItemVariable(name)) variables.set(name, written)
  return {
    seq: state.seq,
    nodes: new Map([...state.nodes].map(([id, { status }]) => [id, status])),
    variables,
  }
}

/** What is another at the second instant: nodes in the order of the definition, variables by name. */
export function changesBetween(
  before: Picture,
  after: Picture,
): { readonly nodes: readonly NodeChange[]; readonly variables: readonly VariableChange[] } {
  const nodes = [...after.nodes].flatMap(([node, to]) => {
    const from = before.nodes.get(node)
    return from === undefined || from === to ? [] : [{ node, from, to }]
  })
  const names = new Set([...before.variables.keys(), ...after.variables.keys()])
  const variables = [...names].sort().flatMap((name) => {
    const from = before.variables.get(name) ?? null
    const to = after.variables.get(name) ?? null
    return from?.seq === to?.seq ? [] : [{ name, from, to }]
  })
  return { nodes, variables }
}
