import type { Box } from '@/components/graph/model/boxes'
import { moved } from '@/components/editor/model/edits'
import type { Flow, FlowEdge, Position } from '@/components/editor/model/flow'
import { sizeOf, type Layout } from '@/components/graph/model/layout'
import type { Places } from './arrange'
import { reach } from './navigation'

/** Room for what is put onto the canvas. Pure. */

export const CARD = sizeOf({ kind: 'task' })

/** Gives every node without a position the one at which it is shown, so that it stays there. */
export const pinned = (flow: Flow, places: Layout): Flow =>
  moved(
    flow,
    new Map(
      flow.nodes.flatMap(({ id, position }) => {
        const at = position === null ? places.get(id) : undefined
        return at === undefined ? [] : [[id, at] as const]
      }),
    ),
  )

/** Between two cards. */
const GAP = 64

/**
 * Where a card goes that is put into an edge, and what makes room for it: the target and all behind it move to the right as far as they must.
 * Null where the edge leads backwards: there is no between.
 */
export function roomIn(
  flow: Flow,
  boxes: ReadonlyMap<string, Box>,
  { source, target }: FlowEdge,
): { readonly at: Position; readonly moved: Places } | null {
  const [from, to] = [boxes.get(source), boxes.get(target)]
  if (from === undefined || to === undefined) return null
  const gap = to.x - from.x - from.width
  if (gap < 0) return null
  const by = Math.max(0, CARD.width + 2 * GAP - gap)
  const behind = by === 0 ? [] : [...reach(flow, new Set([target]), 'right')].filter((id) => id !== source)
  const moves = behind.flatMap((id) => {
    const box = boxes.get(id)
    return box === undefined || box.x < to.x ? [] : [[id, { x: box.x + by, y: box.y }] as const]
  })
  const middle = (from.y + from.height / 2 + to.y + to.height / 2) / 2
  return {
    at: { x: from.x + from.width + (gap + by - CARD.width) / 2, y: middle - CARD.height / 2 },
    moved: new Map(moves),
  }
}
