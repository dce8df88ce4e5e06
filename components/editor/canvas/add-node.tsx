'use client'

import { Plus } from 'lucide-react'
import { useEditor, useView } from '@/components/editor/editor-context'
import { Button } from '@/components/ui/button'
import { PaletteEntries } from './palette-entries'

/** Opens the palette. */
export function AddNodeButton() {
  const { view } = useEditor()
  const open = useView(({ adding }) => adding)
  return (
    <Button aria-expanded={open} onClick={() => view.setState({ adding: !open, placing: null })}>
      <Plus aria-hidden /> Add node
    </Button>
  )
}

/**
 * What can be put onto the canvas, found by what it is called and what it does. Enter puts the marked one behind the selected node (or
 * where an edge was drawn to); dragged, it goes where it is let go: onto the canvas, or into an edge.
 */
export function Palette() {
  const { view } = useEditor()
  const open = useView(({ adding }) => adding)
  if (!open) return null
  return (
    <div
      role="dialog"
      aria-label="Add a node"
      className="absolute inset-y-0 left-0 z-20 flex w-80 max-w-full flex-col border-r border-line bg-surface shadow-raised"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        view.setState({ adding: false, placing: null })
      }}
    >
      <PaletteEntries />
    </div>
  )
}
