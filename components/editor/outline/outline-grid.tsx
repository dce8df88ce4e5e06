'use client'

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, type KeyboardEvent, type RefObject } from 'react'
import { useView } from '@/components/editor/editor-context'
import { OUTLINE_COLUMNS } from '@/components/editor/model/outline/outline-keys'
import { problemsByNode, type Problem } from '@/components/editor/model/problems/problem-list'
import { cn } from '@/components/ui/class-names'
import { OutlineLine, tracks } from './outline-line'
import type { OutlineState } from './use-outline'

/** Height of a row in pixels. */
const ROW = 36

/** The rows that are in the page: those in view, and the active one, so that it can be read out wherever one has scrolled to. */
function useVirtualRows(grid: RefObject<HTMLDivElement | null>, count: number, active: number) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => grid.current,
    estimateSize: () => ROW,
    overscan: 8,
    scrollPaddingStart: ROW,
    rangeExtractor: (range) =>
      active < 0 ? [] : [...new Set([...defaultRangeExtractor(range), active])].toSorted((a, b) => a - b),
  })
  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active)
  }, [active, virtual])
  return virtual
}

/** The table of nodes. `prefix` begins the ids of its cells. */
export function OutlineGrid({
  outline,
  grid,
  prefix,
  problems,
}: {
  outline: OutlineState
  grid: RefObject<HTMLDivElement | null>
  prefix: string
  problems: readonly Problem[]
}) {
  const { rows, row, active, column } = outline
  const virtual = useVirtualRows(grid, rows.length, active)
  const cell = row === undefined ? `${prefix}-none` : `${prefix}-${active}-${column}`
  useEffect(() => {
    grid.current?.focus()
  }, [grid])
  useEffect(() => {
    document.getElementById(cell)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [cell])
  const press = (event: KeyboardEvent) => {
    if (event.target !== grid.current) return
    const { key, altKey, ctrlKey, metaKey, timeStamp } = event
    const command = outline.keys({ key, altKey, command: ctrlKey || metaKey, timeStamp }, outline.position)
    if (command === null) return
    event.preventDefault()
    // The keys of the editor are handled at the window.
    event.stopPropagation()
    outline.run(command)
  }
  return (
    <div
      ref={grid}
      role="treegrid"
      tabIndex={0}
      aria-label="Nodes of the pipeline"
      aria-describedby={`${prefix}-help`}
      aria-rowcount={rows.length + 1}
      aria-colcount={OUTLINE_COLUMNS.length}
      aria-activedescendant={cell}
      onKeyDown={press}
      className="group/grid min-h-0 flex-1 scroll-pt-9 overflow-auto outline-none"
    >
      <Header />
      <div role="rowgroup" className="relative min-w-[700px]" style={{ height: virtual.getTotalSize() }}>
        <Rows outline={outline} prefix={prefix} problems={problems} shown={virtual.getVirtualItems()} />
      </div>
      {row === undefined && <NoRows id={cell} />}
    </div>
  )
}

function Header() {
  return (
    <div role="rowgroup" className="sticky top-0 z-10">
      <div
        role="row"
        aria-rowindex={1}
        className={cn('h-9 border-b border-line bg-surface text-xs text-faint', tracks)}
      >
        {OUTLINE_COLUMNS.map((title, at) => (
          <div key={title} role="columnheader" aria-colindex={at + 1} className="flex items-center px-3">
            {title}
          </div>
        ))}
      </div>
    </div>
  )
}

function Rows({
  outline,
  prefix,
  problems,
  shown,
}: {
  outline: OutlineState
  prefix: string
  problems: readonly Problem[]
  shown: readonly { readonly index: number; readonly start: number }[]
}) {
  const { rows, active, column, editing } = outline
  const selection = useView((state) => state.selection)
  const found = useMemo(() => problemsByNode(problems), [problems])
  return shown.map(({ index, start }) => {
    const row = rows[index]
    if (row === undefined) return null
    return (
      <div key={row.id} role="presentation" className="absolute inset-x-0" style={{ top: start }}>
        <OutlineLine
          row={row}
          index={index}
          cellId={(at) => `${prefix}-${index}-${at}`}
          active={index === active ? column : null}
          selected={selection.nodes.has(row.id)}
          editing={index === active ? editing : null}
          problems={found.get(row.id) ?? []}
          on={{
            choose: (at) => outline.choose(row.id, at),
            edit: outline.edit,
            end: (field, text, back) => outline.endEdit(row.id, [field, text], back),
            waitFor: () => outline.askToWait(row.id),
          }}
        />
      </div>
    )
  })
}

function NoRows({ id }: { id: string }) {
  return (
    <div role="rowgroup">
      <div role="row">
        <div id={id} role="gridcell" aria-colspan={OUTLINE_COLUMNS.length} className="px-4 py-6 text-muted">
          No nodes yet. Press N or Enter to add the first.
        </div>
      </div>
    </div>
  )
}
