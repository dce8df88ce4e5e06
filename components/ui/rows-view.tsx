'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { Copyable } from './copyable'
import { SortHeading } from './sort-heading'
import { Scalar } from './value-scalar'
import { columnsOf, csvOf, sortRows, type RowSort, type ValueRow } from './value-rows'

/** Columns that are drawn; copying copies all. */
const MOST_COLUMNS = 30
/** Characters of a text in a cell. */
const MOST_TEXT = 80
const ROW_PX = 28

/** A list of records as a table: only the rows in view are in the page. Sorted by its headings, copied as CSV. */
export function RowsView({ rows, label }: { rows: readonly ValueRow[]; label: string }) {
  const [sort, setSort] = useState<RowSort | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const all = useMemo(() => columnsOf(rows), [rows])
  const sorted = useMemo(() => (sort === null ? rows : sortRows(rows, sort)), [rows, sort])
  const columns = all.slice(0, MOST_COLUMNS)
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    initialRect: { width: 0, height: 320 },
  })
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div className="rounded-md border border-line">
      <div
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={label}
        className="relative max-h-80 max-sm:max-h-52 overflow-auto rounded-t-md"
      >
        <table aria-rowcount={rows.length + 1} className="w-full border-collapse text-left text-xs">
          <thead className="sticky top-0 z-10 bg-surface">
            <tr aria-rowindex={1}>
              {columns.map((column) => {
                const isSorted = sort?.column === column
                return (
                  <SortHeading
                    key={column}
                    className="h-7 px-2 font-mono sm:px-2"
                    sorted={!isSorted ? null : sort.descending ? 'descending' : 'ascending'}
                    onSort={() => setSort({ column, descending: isSorted && !sort.descending })}
                  >
                    {column}
                  </SortHeading>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr aria-hidden style={{ height: before }} />}
            {items.map(({ index }) => (
              <tr
                key={index}
                aria-rowindex={index + 2}
                className="border-b border-line last:border-0 hover:bg-sunken"
              >
                {columns.map((column) => (
                  <td key={column} className="h-7 max-w-60 truncate px-2 font-mono whitespace-nowrap">
                    <Cell value={sorted[index]?.[column]} />
                  </td>
                ))}
              </tr>
            ))}
            {after > 0 && <tr aria-hidden style={{ height: after }} />}
          </tbody>
        </table>
      </div>
      <p className="flex items-center gap-2 border-t border-line px-2 py-1 text-xs text-faint">
        {rows.length === 1 ? '1 row' : `${rows.length} rows`}
        {all.length > columns.length && `, ${columns.length} of ${all.length} columns`}
        <Copyable text={() => csvOf(sorted, all)} shown="Copy CSV" className="ml-auto" />
      </p>
    </div>
  )
}

function Cell({ value }: { value: unknown }) {
  if (value === undefined) return null
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />
  const text = JSON.stringify(value)
  return <span title={text.slice(0, 1_000)}>{text.slice(0, MOST_TEXT)}</span>
}
