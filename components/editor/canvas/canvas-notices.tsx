'use client'

import { X } from 'lucide-react'
import { useEditor, useView } from '@/components/editor/editor-context'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/copyable'

/** What an empty canvas says. */
export function EmptyCanvas() {
  const { view } = useEditor()
  return (
    <div className="pointer-events-none absolute inset-0 z-10 grid place-items-center p-4">
      <div className="pointer-events-auto flex max-w-sm flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong bg-surface p-8 text-center">
        <p className="text-lg font-semibold">An empty pipeline</p>
        <p className="text-muted">
          Nodes are the steps of a pipeline; an edge from a node’s end says what starts next. You can paste
          nodes here as well.
        </p>
        <Button size="large" onClick={() => view.setState({ adding: true })}>
          Add the first node
        </Button>
        <p className="flex flex-wrap justify-center gap-x-4 gap-y-1 text-xs text-faint">
          <span>
            <Kbd>N</Kbd> add
          </span>
          <span>
            <Kbd>Ctrl</Kbd> <Kbd>V</Kbd> paste
          </span>
          <span>
            <Kbd>?</Kbd> all keys
          </span>
        </p>
      </div>
    </div>
  )
}

/** Says that the nodes show a run, and leads back. */
export function PathBar() {
  const { view } = useEditor()
  const path = useView((state) => state.path)
  if (path === null) return null
  const count = path.size === 1 ? 'this node ends' : `these ${path.size} nodes end`
  return (
    <div
      role="status"
      className="flex items-center gap-3 rounded-lg border border-line bg-surface py-1 pr-1 pl-3 text-sm shadow-raised"
    >
      <span>This shows how {count} in a run with the problem.</span>
      <Kbd>Esc</Kbd>
      <Button tone="quiet" size="icon" aria-label="Close" onClick={() => view.setState({ path: null })}>
        <X aria-hidden />
      </Button>
    </div>
  )
}
