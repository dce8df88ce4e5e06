import { waitForEvent, type Refusal } from '@/components/editor/model/actions'
import type { EditorStores } from '@/components/editor/model/stores'
import { withField } from '@/components/editor/model/edits'
import { nodesOf } from '@/components/editor/model/flow'
import { selectionOf } from '@/components/editor/model/view'
import { nameOf, outlineRows, waitsFor } from './outline-rows'

/** What only the outline does. Each is one step of the history, and answers what happened, in words for people. */

export type Told = { readonly text: string; readonly refused: boolean }

const done = (text: string): Told => ({ text, refused: false })
const refusedWith = (text: string): Told => ({ text, refused: true })

export const CANNOT_READ = 'The code cannot be read: mend it first, or undo.'

const outcome = (refusal: Refusal, text: string): Told =>
  refusal === null ? done(text) : refusedWith(refusal)

function setField({ draft }: EditorStores, id: string, field: string, value: string, text: string): Told {
  const taken = draft.edit(`Change ${field} of ${id}`, (definition) =>
    withField(definition, id, field, value === '' ? undefined : value),
  )
  return taken ? done(text) : refusedWith(CANNOT_READ)
}

/** Gives a node a name; an empty one takes the name away, and its id is shown. */
export const rename = (stores: EditorStores, id: string, name: string): Told =>
  setField(stores, id, 'name', name.trim(), `${id} is called ${name.trim() || id}.`)

/** Anything may be written, as in the code: what cannot be read is a problem of the node until it is mended. */
export const setStart = (stores: EditorStores, id: string, gate: string): Told =>
  setField(stores, id, 'startWhen', gate.trim(), `The start of ${id} was changed.`)

/** An event more that starts a node, joined as the canvas would join it. */
export const waitFor = (stores: EditorStores, id: string, event: string): Told =>
  outcome(waitForEvent(stores, id, event), `${id} waits for ${event}.`)

/** Puts a node one row up or down: in the list of the definition, which is the order of the rows where nothing waits. */
export function reorder(stores: EditorStores, id: string, by: -1 | 1): Told {
  const { draft } = stores
  const { definition } = draft.getState()
  const rows = outlineRows(definition)
  const at = rows.findIndex((row) => row.id === id)
  const other = rows[at + by]
  const node = rows[at]
  if (node === undefined || other === undefined) return done(`${id} is the ${by < 0 ? 'first' : 'last'} row.`)
  const [earlier, later] = by < 0 ? [other, node] : [node, other]
  if (waitsFor(definition, later.id, earlier.id))
    return refusedWith(`${later.id} waits for ${earlier.id}, and stays below it.`)
  const order = rows.map((row) => row.fields)
  const moved = order.with(at, other.fields).with(at + by, node.fields)
  const taken = draft.edit(`Move ${id} ${by < 0 ? 'up' : 'down'}`, (before) => {
    const known = new Set<unknown>(order)
    const list: readonly unknown[] = Array.isArray(before['nodes']) ? before['nodes'] : []
    // What has no row stays behind those that have one.
    return { ...before, nodes: [...moved, ...list.filter((member) => !known.has(member))] }
  })
  return taken
    ? done(`${nameOf(node.fields)} was moved ${by < 0 ? 'up' : 'down'}.`)
    : refusedWith(CANNOT_READ)
}

/** Looks at a node without opening anything. */
export function lookAt({ view }: EditorStores, id: string): void {
  view.setState({ selection: selectionOf(id) })
}

/** The events of other nodes that a node can wait for, those of an approval in its own words. */
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
