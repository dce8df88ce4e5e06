import type { KeyboardEvent, RefObject } from 'react'
import type { Row } from './rows'
import type { Zoom } from './use-zoom'

/** Where the focus is: a row by its key, and in it the name (0) or a bar (1 …). */
export type Place = { readonly key: string; readonly cell: number }

const STEP_PX = 120

/** The keys of the timeline. Answers with the handler of key presses on the grid. */
export function useTimelineKeys({
  grid,
  rows,
  active,
  cell,
  cells,
  page,
  go,
  toggle,
  zoom,
  open,
  leave,
}: {
  grid: RefObject<HTMLElement | null>
  rows: readonly Row[]
  active: number
  cell: number
  /** Bars of the active row. */
  cells: number
  /** Rows that are seen at once. */
  page: number
  go: (row: number, cell?: number) => void
  toggle: (node: string) => void
  zoom: Zoom
  open: () => void
  leave: () => void
}): (event: KeyboardEvent) => void {
  const right = (row: Row) => {
    if (cell === 0 && row.unfolded === false) return () => toggle(row.node)
    return cell < cells ? () => go(active, cell + 1) : () => {}
  }
  const left = (row: Row) => {
    if (cell > 0) return () => go(active, cell - 1)
    if (row.unfolded === true) return () => toggle(row.node)
    return row.item === null ? () => {} : () => go(rows.findIndex(({ key }) => key === row.node))
  }
  const actOf = ({ key, shiftKey }: KeyboardEvent): (() => void) | undefined => {
    const row = rows[active]
    if (row === undefined) return undefined
    switch (key) {
      case 'ArrowDown':
        return () => go(active + 1, cell)
      case 'ArrowUp':
        return () => go(active - 1, cell)
      case 'PageDown':
        return () => go(active + page, cell)
      case 'PageUp':
        return () => go(active - page, cell)
      case 'Home':
        return () => go(0)
      case 'End':
        return () => go(rows.length - 1)
      case 'ArrowRight':
        return shiftKey ? () => zoom.pan(STEP_PX) : right(row)
      case 'ArrowLeft':
        return shiftKey ? () => zoom.pan(-STEP_PX) : left(row)
      case 'Enter':
        return open
      case 'Escape':
        return leave
      case '+':
      case '=':
        return () => zoom.zoom(1 / 1.5)
      case '-':
        return () => zoom.zoom(1.5)
      case '0':
      case '1':
        return zoom.fit
      default:
        return undefined
    }
  }
  return (event) => {
    if (event.target !== grid.current || event.ctrlKey || event.metaKey || event.altKey) return
    const act = actOf(event)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
}
