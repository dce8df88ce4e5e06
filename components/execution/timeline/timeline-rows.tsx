import { useMemo } from 'react'
import { nodeStatus } from '@/components/ui/status'
import type { Segment } from '@/core/engine/timeline/chain'
import type { NodeView } from '@/core/engine/view/view'
import { chainByNode } from './rows'
import { TimelineRow, type RowActions } from './timeline-row'
import type { ChartData } from './use-chart-data'
import type { RowFocus } from './use-row-focus'
import type { Viewport } from './viewport'

/** The rows that are in view, and the one with the focus. */
export function TimelineRows({
  data: { rows, latest, chain },
  nodes,
  focus: { virtual, active },
  cell,
  selected,
  ...shared
}: {
  data: ChartData
  nodes: { readonly [id: string]: Pick<NodeView, 'status' | 'error'> }
  focus: RowFocus
  /** The cell of the active row with the focus. */
  cell: number
  selected: string | null
  view: Viewport
  end: number
  narrow: boolean
  prefix: string
  on: RowActions
}) {
  const chains = useMemo(() => chainByNode(chain), [chain])
  return virtual.getVirtualItems().map(({ index, start, size }) => {
    const row = rows[index]
    if (row === undefined) return null
    const isNode = row.item === null
    const node = isNode ? nodes[row.node] : undefined
    return (
      <div
        key={row.key}
        role="presentation"
        className="absolute inset-x-0 contain-strict"
        style={{ top: start, height: size }}
      >
        <TimelineRow
          row={row}
          index={index}
          latest={latest}
          status={node === undefined ? null : nodeStatus(node)}
          chain={isNode ? (chains.get(row.node) ?? NO_LINKS) : NO_LINKS}
          active={index === active ? cell : null}
          selected={isNode && row.node === selected}
          {...shared}
        />
      </div>
    )
  })
}

/** One object for all rows without links: a row is drawn again only when its props change. */
const NO_LINKS: readonly Segment[] = []
