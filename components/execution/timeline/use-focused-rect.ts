import { useEffect, useState, type RefObject } from 'react'
import type { Viewport } from './viewport'

/**
 * Where the cell `id` is on the screen while the grid has the keyboard focus; else null. Measured again when the viewport moves. `handlers`
 * belong to the grid.
 */
export function useFocusedRect(grid: RefObject<HTMLElement | null>, id: string, view: Viewport) {
  const [rect, setRect] = useState<DOMRect | null>(null)
  const { from, to, width } = view
  useEffect(() => setRect(rectOfFocus(grid.current, id)), [grid, id, from, to, width])
  return {
    rect,
    clear: () => setRect(null),
    handlers: {
      onFocus: () => setRect(rectOfFocus(grid.current, id)),
      onBlur: () => setRect(null),
    },
  }
}

function rectOfFocus(grid: HTMLElement | null, cell: string): DOMRect | null {
  if (grid?.matches(':focus-visible') !== true) return null
  return document.getElementById(cell)?.getBoundingClientRect() ?? null
}
