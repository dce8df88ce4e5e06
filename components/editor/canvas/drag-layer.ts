import { strokeOf, type Ends, type Line } from '@/components/graph/distant-edges'
import type { Places } from '@/components/editor/model/canvas/arrange'

export type Lifted = {
  /** Shows everything at its new place. What is not lifted stays. */
  move(places: Places): void
  /** Leaves everything to whoever draws it: at the old places, unless new ones are drawn by now. */
  drop(): void
}

/**
 * Takes nodes up in the page itself. To draw a graph of thousands anew at each step of the pointer takes longer than a frame lasts, though all
 * but a few of its nodes stand still; so these few and their edges are moved alone, and drawn with the rest when they are let go.
 */
export function lift(
  root: Element,
  ids: ReadonlySet<string>,
  nodes: readonly Ends[],
  edges: readonly Line[],
): Lifted {
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
  const lines = root.querySelector('[data-lifted-edges]')
  // What lies between two that are lifted goes with them as it is, as does the frame around what is selected.
  const within = root.querySelector<SVGPathElement>('[data-lifted-within]')
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
    drop() {
      for (const { style } of [...along, ...cards.map(({ card }) => card)]) style.translate = ''
      lines?.removeAttribute('d')
      within?.removeAttribute('d')
    },
  }
}

const shift = (from: Ends['position'], to: Ends['position']): string =>
  `${to.x - from.x}px ${to.y - from.y}px`
