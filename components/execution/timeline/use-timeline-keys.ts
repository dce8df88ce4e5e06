import type { KeyboardEvent, RefObject } from 'react'
import { commandOf, type Command, type Position } from './timeline-keys'
import type { RowFocus } from './use-row-focus'
import type { Zoom } from './use-zoom'

/** The handler of key presses on the grid of the timeline. Keys inside of its cells and with Ctrl, Alt or Meta are left alone. */
export function useTimelineKeys({
  grid,
  position,
  focus,
  zoom,
  toggle,
  open,
  leave,
}: {
  grid: RefObject<HTMLElement | null>
  position: Omit<Position, 'page'>
  focus: RowFocus
  zoom: Zoom
  toggle: (node: string) => void
  open: () => void
  leave: () => void
}): (event: KeyboardEvent) => void {
  const run = (command: Command): void => {
    switch (command.do) {
      case 'focus':
        return focus.go(command.row, command.cell)
      case 'toggle':
        return toggle(command.node)
      case 'pan':
        return zoom.pan(command.pixels)
      case 'zoom':
        return zoom.zoom(command.factor)
      case 'fit':
        return zoom.fit()
      case 'open':
        return open()
      case 'leave':
        return leave()
      case 'nothing':
    }
  }
  return (event) => {
    if (event.target !== grid.current || event.ctrlKey || event.metaKey || event.altKey) return
    const command = commandOf(event, { ...position, page: focus.page() })
    if (command === null) return
    event.preventDefault()
    run(command)
  }
}
