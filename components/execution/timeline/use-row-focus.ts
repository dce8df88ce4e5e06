import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useState, type RefObject } from 'react'
import type { Row } from './rows'

const WIDE_ROW = 32
const NARROW_ROW = 44

export type RowFocus = {
  /** The index of the row with the focus; 0 where the row that had it is gone. */
  readonly active: number
  /** The wanted cell of it: the name (0) or a bar (1 …). The row may have fewer. */
  readonly cell: number
  readonly virtual: Virtualizer<HTMLDivElement, Element>
  /** Rows that are visible at once. */
  readonly page: () => number
  /** Sets the focus without scrolling. */
  readonly set: (key: string, cell: number) => void
  /** Sets the focus on the row nearest to an index, and scrolls there. */
  readonly go: (index: number, cell: number) => void
}

/** The rows that are drawn, and the one of them that has the focus: it is drawn wherever one scrolls. */
export function useRowFocus(
  grid: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  { initial, narrow, top }: { initial: string | null; narrow: boolean; top: number },
): RowFocus {
  const [focus, setFocus] = useState({ key: initial ?? '', cell: 0 })
  const found = useMemo(() => rows.findIndex(({ key }) => key === focus.key), [rows, focus.key])
  const active = found < 0 ? 0 : found
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => grid.current,
    estimateSize: () => (narrow ? NARROW_ROW : WIDE_ROW),
    overscan: 6,
    scrollPaddingStart: top,
    rangeExtractor: (range) =>
      rows.length === 0
        ? []
        : [...new Set([...defaultRangeExtractor(range), active])].toSorted((a, b) => a - b),
  })
  useEffect(() => virtual.measure(), [narrow, virtual])
  const set = (key: string, cell: number) => setFocus({ key, cell })
  return {
    active,
    cell: focus.cell,
    virtual,
    page: () => Math.max(1, Math.floor((grid.current?.clientHeight ?? 0) / WIDE_ROW) - 2),
    set,
    go: (index, cell) => {
      const at = Math.max(0, Math.min(index, rows.length - 1))
      const row = rows[at]
      if (row === undefined) return
      set(row.key, cell)
      virtual.scrollToIndex(at)
    },
  }
}
