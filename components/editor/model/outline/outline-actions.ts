import { FIX_CODE_FIRST, waitForEvent, type Refusal } from '@/components/editor/model/actions'
import type { EditorStores } from '@/components/editor/model/stores'
import { withField } from '@/components/editor/model/edits'
import { nodesOf } from '@/components/editor/model/flow'
import { selectionOf } from '@/components/editor/model/view'
import { nameOf, outlineRows, waitsFor } from './outline-rows'

/** Actions of the outline alone. Each is one step of the history, and returns what it did, as a sentence. */

export type ActionReport = { readonly text: string; readonly refused: boolean }

const done = (text: string): ActionReport => ({ text, refused: false })
const refusedWith = (text: string): ActionReport => ({ text, refused: true })

const outcome = (refusal: Refusal, text: string): ActionReport =>
  refusal === null ? done(text) : refusedWith(refusal)

function setField(
  { draft }: EditorStores,
  id: string,
  [field, value]: readonly [field: string, value: string],
  text: string,
): ActionReport {
  const taken = draft.edit(`Change ${field} of ${id}`, (definition) =>
    withField(definition, id, field, value === '' ? undefined : value),
  )
  return taken ? done(text) : refusedWith(FIX_CODE_FIRST)
}

/** Sets the name of a node; an empty one removes it, and the id is shown. */
export const rename = (stores: EditorStores, id: string, name: string): ActionReport =>
  setField(stores, id, ['name', name.trim()], `${id} is called ${name.trim() || id}.`)

/** Sets a start condition. Any text is accepted, as in the code; one that cannot be parsed is a problem of the node. */
export const setStart = (stores: EditorStores, id: string, gate: string): ActionReport =>
  setField(stores, id, ['startWhen', gate.trim()], `The start of ${id} was changed.`)

/** Adds an event to a start condition, joined as the canvas does it. */
export const waitFor = (stores: EditorStores, id: string, event: string): ActionReport =>
  outcome(waitForEvent(stores, id, event), `${id} waits for ${event}.`)

/** Moves a node one row up or down, which changes its index in the definition. A node cannot move above what it waits for. */
export function reorder(stores: EditorStores, id: string, by: -1 | 1): ActionReport {
  const { draft } = stores
  const { definition } = draft.getState()
  const rows = outlineRows(definition)
  const at = rows.findIndex((row) => row.id === id)
  const other = rows[at + by]
  const node = rows[at]
  if (node === undefined || other === undefined) return done(`${id} is the ${by < 0 ? 'first' : 'last'} row.`)
  const [earlier, later] = by < 0 ? [other, node] : [node, other]
  if (waitsFor(definition, later.id, earlier.id))
    return refusedWith(`${later.id} waits for ${earlier.id} and must stay below it.`)
  const order = rows.map((row) => row.fields)
  const moved = order.with(at, other.fields).with(at + by, node.fields)
  const taken = draft.edit(`Move ${id} ${by < 0 ? 'up' : 'down'}`, (before) => {
    const known = new Set<unknown>(order)
    const list: readonly unknown[] = Array.isArray(before['nodes']) ? before['nodes'] : []
    // Members of the list without a row stay behind the others.
    return { ...before, nodes: [...moved, ...list.filter((member) => !known.has(member))] }
  })
  return taken
    ? done(`${nameOf(node.fields)} was moved ${by < 0 ? 'up' : 'down'}.`)
    : refusedWith(FIX_CODE_FIRST)
}

/** Selects a node and opens nothing. */
export function lookAt({ view }: EditorStores, id: string): void {
  view.setState({ selection: selectionOf(id) })
}

/** The events of other nodes that a node can wait for. Approvals have their own. */
export function eventsFor(
  { draft }: EditorStores,
  id: string,
): readonly { readonly event: string; readonly text: string }[] {
  return nodesOf(draft.getState().definition).flatMap((node) =>
    node.id === id
      ? []
      : (node['task'] === 'approval' ? OF_AN_APPROVAL : OF_A_TASK).map(([word, said]) => ({
          event: `${node.id}.${word}`,
          text: `${node.id} ${said}`,
        })),
  )
}

const OF_A_TASK = [
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['skipped', 'was skipped'],
] as const
const OF_AN_APPROVAL = [
  ['approved', 'was approved'],
  ['rejected', 'was rejected'],
  ['timeout', 'timed out'],
] as const
