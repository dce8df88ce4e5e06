import type { Places } from '@/components/editor/model/canvas/arrange'
import { strokeOf, type Ends, type Line } from '@/components/graph/distant-edges'

export type DragLayer = {
  /** Shows the dragged nodes at new positions. */
  move(places: Places): void
  /** Removes what the layer changed in the page: React draws everything again. */
  remove(): void
}

/**
 * Moves nodes directly in the page. Rendering a graph of thousands of nodes at every step of the pointer takes longer than a frame, so
 * only the dragged nodes and their edges are moved, and React renders them when they are dropped.
 */
export function createDragLayer(
  root: Element,
  ids: ReadonlySet<string>,
  nodes: readonly Ends[],
  edges: readonly Line[],
): DragLayer {
  const all = [...root.querySelectorAll<HTMLElement>('.react-flow__node')]
  const cards = all.flatMap((card) => {
    const id = card.dataset['id']
    return id !== undefined && ids.has(id) ? [{ id, card }] : []
  })
  const begun = new Map(nodes.map((node) => [node.id, node]))
  const tied = edges.flatMap((edge) => {
    const [from, to] = [begun.get(edge.source), begun.get(edge.target)]
    const isTied = ids.has(edge.source) || ids.has(edge.target)
    return isTied && from !== undefined && to !== undefined ? [{ edge, from, to }] : []
  })
  const isWithin = ({ edge }: (typeof tied)[number]) => ids.has(edge.source) && ids.has(edge.target)
  const leading = tied.filter((one) => !isWithin(one))
  const lines = root.querySelector('[data-dragged-edges]')
  // Edges between two dragged nodes keep their shape, and so does the frame around a selection: they are only shifted.
  const within = root.querySelector<SVGPathElement>('[data-dragged-within]')
  const strokes = tied.filter(isWithin).map(({ edge, from, to }) => strokeOf(from, to, edge).path)
  within?.setAttribute('d', strokes.join(''))
  const frame = root.querySelector<HTMLElement>('.react-flow__nodesselection-rect')
  const along = [frame, within].filter((element) => element !== null)

  const at = (node: Ends, places: Places): Ends => {
    const position = places.get(node.id)
    return position === undefined ? node : { ...node, position }
  }
  return {
    move(places) {
      for (const { id, card } of cards) {
        const [from, to] = [begun.get(id)?.position, places.get(id)]
        if (from !== undefined && to !== undefined) card.style.translate = shift(from, to)
      }
      const [first] = cards
      for (const { style } of along) style.translate = first?.card.style.translate ?? ''
      const paths = leading.map(({ edge, from, to }) => strokeOf(at(from, places), at(to, places), edge).path)
      lines?.setAttribute('d', paths.join(''))
    },
    remove() {
      for (const { style } of [...along, ...cards.map(({ card }) => card)]) style.translate = ''
      lines?.removeAttribute('d')
      within?.removeAttribute('d')
    },
  }
}

const shift = (from: Ends['position'], to: Ends['position']): string =>
  `${to.x - from.x}px ${to.y - from.y}px`
