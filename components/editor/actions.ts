import type { EditorStores } from './editor-context'
import { added, freshId, withFlow, without } from './edits'
import type { Flow, Position } from './flow'
import { NOTHING, selectionOf } from './view'

/** What toolbar, keys, canvas and outline do, each written once. All of it is one step of the history. */

/** Null, or why nothing was changed, in words for people. */
export type Refusal = string | null

/** A change of the graph; its start conditions follow. */
export function editFlow({ draft }: EditorStores, label: string, change: (flow: Flow) => Flow): Refusal {
  let refused: Refusal = null
  const taken = draft.edit(label, (before) => {
    const after = withFlow(before, change)
    refused = after.refused
    return after.definition
  })
  return taken ? refused : 'The code cannot be read: mend it first, or undo.'
}

/** A new node of a task, selected; where one node is selected, it starts when that one completed. */
export function addTask(stores: EditorStores, task: string): Refusal {
  const { definition } = stores.draft.getState()
  const [selected, ...more] = stores.view.getState().selection.nodes
  const id = freshId(definition, task)
  const after = selected === undefined || more.length > 0 ? {} : { after: `${selected}.completed` }
  const refused = editFlow(stores, `Add ${id}`, (flow) => {
    const places = flow.nodes.flatMap(({ position }) => (position === null ? [] : [position]))
    const at: Position = { x: Math.max(-288, ...places.map(({ x }) => x)) + 288, y: places.at(-1)?.y ?? 0 }
    return added(flow, { id, fields: { task }, position: at }, after)
  })
  if (refused === null)
    stores.view.setState(({ panel }) => ({
      selection: selectionOf(id),
      panel: panel === 'outline' ? panel : 'node',
    }))
  return refused
}

/** Takes nodes away, or, where no node is chosen, edges. */
export function remove(
  stores: EditorStores,
  nodes: ReadonlySet<string>,
  edges: ReadonlySet<string>,
): Refusal {
  const label = nodes.size > 0 ? `Delete ${[...nodes].join(', ')}` : 'Delete an edge'
  // Edges of nodes that go are led on or go with them.
  const refused = editFlow(stores, label, (flow) =>
    without(flow, nodes, nodes.size > 0 ? NOTHING.edges : edges),
  )
  if (refused === null) stores.view.setState({ selection: NOTHING })
  return refused
}
