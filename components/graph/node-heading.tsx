'use client'

import { X } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { idAndKind } from '@/components/ui/name-and-id'
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
  const { name = node.id } = node.definition
  return (
    <header className="flex items-start gap-3 border-b border-line px-4 py-3">
      <TaskIcon task={node.task} />
      <div className="min-w-0">
        <h2 title={name} className="truncate text-base leading-5 font-semibold">
          {name}
        </h2>
        <p title={node.id} className="truncate font-mono text-xs text-faint">
          {idAndKind(name, node.id, node.child ?? node.task)}
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
