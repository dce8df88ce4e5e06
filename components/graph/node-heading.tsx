'use client'

import { X } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { TaskIcon } from '@/components/ui/task-icon'
import type { CompiledNode } from '@/core/pipeline/definition/compile'

/** The heading of a panel about one node, with a close button. */
export function NodeHeading({
  node,
  onClose,
}: {
  node: Pick<CompiledNode, 'id' | 'definition' | 'task' | 'child'>
  onClose: () => void
}) {
  return (
    <header className="flex items-start gap-3 border-b border-line px-4 py-3">
      <TaskIcon task={node.task} />
      <div className="min-w-0">
        <h2 className="truncate text-base leading-5 font-semibold">{node.definition.name ?? node.id}</h2>
        <p className="truncate font-mono text-xs text-faint">
          {node.id} · {node.child ?? node.task}
        </p>
      </div>
      <Button
        tone="quiet"
        size="icon"
        aria-label="Close the panel"
        className="-mt-1 -mr-2 ml-auto"
        onClick={onClose}
      >
        <X aria-hidden />
      </Button>
    </header>
  )
}
