import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf } from '@/components/editor/model/flow'
import type { Cone } from '@/components/editor/model/trial/cone'
import type { SampleData, TrialStore } from './trial-store'

/** The node that has another id now and is the same in its place, where that is the one thing that happened to the ids; else null. */
export function renamedBetween(
  before: Definition,
  after: Definition,
): { readonly from: string; readonly to: string } | null {
  const [had, has] = [nodesOf(before), nodesOf(after)].map((nodes) => nodes.map(({ id }) => id))
  if (had === undefined || has === undefined || had.length !== has.length) return null
  const at = had.flatMap((id, index) => (id === has[index] ? [] : [index]))
  const [from, to] = [had[at[0] ?? -1], has[at[0] ?? -1]]
  if (at.length !== 1 || from === undefined || to === undefined) return null
  return had.includes(to) || has.includes(from) ? null : { from, to }
}

type Source = {
  getState(): { readonly definition: Definition }
  subscribe(
    listener: (now: { definition: Definition }, before: { definition: Definition }) => void,
  ): () => void
}

/**
 * Pins and results of trials follow a node to its new id, also when the rename is undone. What fitted the draft before still fits it.
 *
 * @param cones computes what data depend on; loaded when there is something to move
 */
export function followRenames(
  draft: Source,
  trials: TrialStore,
  cones: () => Promise<(definition: Definition, id: string) => Cone>,
): () => void {
  return draft.subscribe(({ definition: after }, { definition: before }) => {
    if (after === before) return
    const renamed = renamedBetween(before, after)
    const { pins, tried } = trials.getState()
    if (renamed === null || pins.size + tried.size === 0) return
    const { from, to } = renamed
    const idNow = (id: string) => (id === from ? to : id)
    void cones().then((coneOf) => {
      const moved = <Data extends SampleData>(id: string, data: Data): Data => {
        const was = coneOf(before, id)
        const fits =
          was.size === data.cone.size && [...was].every(([part, text]) => data.cone.get(part) === text)
        return fits
          ? { ...data, cone: coneOf(after, idNow(id)) }
          : { ...data, cone: new Map([...data.cone].map(([part, text]) => [idNow(part), text])) }
      }
      trials.move(idNow, moved)
    })
  })
}
