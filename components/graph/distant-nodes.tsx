'use client'

import { memo, useEffect, useMemo, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { APART, inBlocks } from './blocks'
import { Patch, type CardNode } from './card'
import { ViewportLayer } from './viewport-layer'

/**
 * The nodes of a graph that is zoomed out, drawn outside of the canvas. In the canvas, each of thousands of nodes would check every change of
 * the others; here only the block of a changed node is rendered again. Nodes can be focused and selected like cards.
 */
export const DistantNodes = memo(function DistantNodes({
  nodes,
  onSelect,
  onEnter,
}: {
  nodes: readonly CardNode[]
  onSelect: (id: string) => void
  /** A click or key with Ctrl or Cmd. */
  onEnter: (id: string) => void
}) {
  const [divide] = useState(() => inBlocks((members: readonly CardNode[]) => members))
  const blocks = useMemo(() => divide(nodes), [divide, nodes])
  const drawn = useGrowing(blocks.length)
  const choose = (event: MouseEvent | KeyboardEvent) => {
    const place = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')
    const id = place?.tabIndex === 0 ? place.dataset['id'] : undefined
    if (id === undefined) return
    if (event.ctrlKey || event.metaKey) onEnter(id)
    else onSelect(id)
  }
  return (
    <ViewportLayer>
      <div
        role="group"
        aria-label="Nodes"
        className={APART}
        onClick={choose}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === ' ') choose(event)
        }}
      >
        {blocks.slice(0, drawn).map((members, at) => (
          <Block key={at} members={members} />
        ))}
      </div>
    </ViewportLayer>
  )
})

/** Blocks that are added to the page in one frame: thousands of nodes at once would block it. */
const AT_ONCE = 8

/** How many blocks to draw: more at every frame, until all are drawn. */
function useGrowing(all: number): number {
  const [some, setSome] = useState(AT_ONCE)
  useEffect(() => {
    if (some >= all) return
    const frame = requestAnimationFrame(() => setSome(some + AT_ONCE))
    return () => cancelAnimationFrame(frame)
  }, [some, all])
  return some
}

const Block = memo(function Block({ members }: { members: readonly CardNode[] }) {
  return members.map((node) => <Far key={node.id} node={node} />)
})

/** A node that is zoomed out. Its label covers everything that is visible of it. */
const Far = memo(
  function Far({
    node: { id, position, width, height, data, selected = false, focusable, ariaLabel },
  }: {
    node: CardNode
  }) {
    return (
      <div
        className="react-flow__node cursor-pointer"
        data-id={id}
        style={{ width, height, transform: `translate(${position.x}px, ${position.y}px)` }}
        {...(focusable === true ? { role: 'button', tabIndex: 0, 'aria-label': ariaLabel } : {})}
      >
        <Patch data={data} selected={selected} />
      </div>
    )
  },
  ({ node: a }, { node: b }) =>
    a === b ||
    (a.ariaLabel === b.ariaLabel &&
      a.selected === b.selected &&
      a.position === b.position &&
      a.width === b.width &&
      a.height === b.height),
)
