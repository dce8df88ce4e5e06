import { Box, Workflow } from 'lucide-react'
import { taskIcons, type TaskIconParts } from '@/tasks/icons'
import { cn } from './class-names'

const tints: Record<TaskIconParts['tint'], string> = {
  data: 'bg-(--tint-data) text-(--tint-data-ink)',
  code: 'bg-(--tint-code) text-(--tint-code-ink)',
  chart: 'bg-(--tint-chart) text-(--tint-chart-ink)',
  gate: 'bg-(--tint-gate) text-(--tint-gate-ink)',
  flow: 'bg-(--tint-flow) text-(--tint-flow-ink)',
}

/** What is drawn like a task and is none. */
const others: ReadonlyMap<string, TaskIconParts> = new Map([['pipeline', { face: Workflow, tint: 'flow' }]])

/** The icon of a task type in the quiet tint of its category; a type that is not known gets a plain box. */
export function TaskIcon({ task, className }: { task: string; className?: string }) {
  const { face: Icon, tint } = taskIcons.get(task) ?? others.get(task) ?? { face: Box, tint: 'flow' }
  return (
    <span className={cn('grid size-8 shrink-0 place-items-center rounded-md', tints[tint], className)}>
      <Icon aria-hidden className="size-4" />
    </span>
  )
}
