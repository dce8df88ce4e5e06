import type { Box } from '@/components/graph/model/boxes'
import type { Flow } from '@/components/editor/model/flow'

/** Where the arrow keys lead. Pure. */

export type Direction = 'left' | 'right' | 'up' | 'down'

const middleOf = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 })

/**
 * The node that comes next: to the right one that starts after it, to the left one before it (of several the nearest in height), up
 * and down the nearest in that direction. From nowhere: the first. Null where there is none.
 */
export function next(
  flow: Flow,
  boxes: ReadonlyMap<string, Box>,
  from: string | null,
  to: Direction,
): string | null {
  const start = from === null ? undefined : boxes.get(from)
  if (start === undefined) return firstOf(flow, boxes)
  const middle = middleOf(start)
  const distance = (id: string) => {
    const { x, y } = middleOf(boxes.get(id) ?? start)
    // What lies in the same column is nearer than what lies askew.
    return to === 'up' || to === 'down'
      ? Math.abs(y - middle.y) + 2 * Math.abs(x - middle.x)
      : Math.abs(y - middle.y)
  }
  const linked = flow.edges.flatMap(({ source, target }) =>
    to === 'right' && source === from ? [target] : to === 'left' && target === from ? [source] : [],
  )
  const beside = flow.nodes
    .map(({ id }) => id)
    .filter((id) => {
      const y = middleOf(boxes.get(id) ?? start).y
      return to === 'up' ? y < middle.y - 1 : y > middle.y + 1
    })
  const ids = flow.nodes.map(({ id }) => id)
  const candidates = to === 'up' || to === 'down' ? beside : linked.filter((id) => ids.includes(id))
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0] ?? null
}

function firstOf(flow: Flow, boxes: ReadonlyMap<string, Box>): string | null {
  const at = (id: string) => boxes.get(id)?.x ?? 0
  return flow.nodes.map(({ id }) => id).toSorted((a, b) => at(a) - at(b))[0] ?? null
}

/** Everything that must come before (`left`) or may come after (`right`) these nodes, with them. */
export function reach(flow: Flow, from: ReadonlySet<string>, to: 'left' | 'right'): ReadonlySet<string> {
  const links = new Map<string, string[]>()
  for (const { source, target } of flow.edges) {
    const [near, far] = to === 'right' ? [source, target] : [target, source]
    links.set(near, [...(links.get(near) ?? []), far])
  }
  const ids = new Set(flow.nodes.map(({ id }) => id))
  const seen = new Set(from)
  const open = [...from]
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const far of links.get(id) ?? [])
      if (ids.has(far) && !seen.has(far)) {
        seen.add(far)
        open.push(far)
      }
  return seen
}
