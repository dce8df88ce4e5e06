import {
  Ban,
  Check,
  CircleDashed,
  CircleDot,
  Hourglass,
  LoaderCircle,
  Pause,
  RotateCw,
  SkipForward,
  ThumbsDown,
  TriangleAlert,
  Undo2,
  X,
  type LucideIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { rejectedBy } from '@/core/engine/rejection'
import type { ExecutionStatus, NodeStatus, NodeView } from '@/core/engine/view/view'
import { cn } from './class-names'

/**
 * `handled`: of a run that completed although something failed. `rejected`: it ended because a person said no; the engine calls both
 * failed, and pages tell them apart.
 */
export type Status = ExecutionStatus | NodeStatus | 'handled' | 'rejected'

const faces: Record<Status, { icon: LucideIcon; text: string; turns?: true }> = {
  pending: { icon: CircleDashed, text: 'Pending' },
  queued: { icon: CircleDot, text: 'Queued' },
  running: { icon: LoaderCircle, text: 'Running', turns: true },
  waiting: { icon: Hourglass, text: 'Waiting' },
  paused: { icon: Pause, text: 'Paused' },
  retrying: { icon: RotateCw, text: 'Retrying' },
  verifying: { icon: LoaderCircle, text: 'Verifying', turns: true },
  completed: { icon: Check, text: 'Completed' },
  handled: { icon: TriangleAlert, text: 'Completed, with a failure handled' },
  failed: { icon: X, text: 'Failed' },
  rejected: { icon: ThumbsDown, text: 'Rejected' },
  skipped: { icon: SkipForward, text: 'Skipped' },
  cancelled: { icon: Ban, text: 'Cancelled' },
  rolling_back: { icon: Undo2, text: 'Rolling back' },
  rolled_back: { icon: Undo2, text: 'Rolled back' },
}

/** The status of a node as pages show it. */
export const nodeStatus = ({ status, error }: Pick<NodeView, 'status' | 'error'>): Status =>
  status === 'failed' && rejectedBy(error) !== null ? 'rejected' : status

/** The status in words. */
export function statusText(status: Status): string {
  return faces[status].text
}

/** The status as an icon in its colour. Hidden from screen readers: the status text must be beside it. */
export function StatusIcon({ status, className }: { status: Status; className?: string }) {
  const { icon: Icon, turns } = faces[status]
  return (
    <Icon
      aria-hidden
      data-status={status}
      strokeWidth={2.25}
      className={cn('status-ink size-3.5 shrink-0', turns && 'animate-turn', className)}
    />
  )
}

/** Colour, icon and text together: a status is never shown by colour alone. */
export function StatusBadge({
  status,
  className,
  children = faces[status].text,
}: {
  status: Status
  className?: string
  /** Absent: the status. */
  children?: ReactNode
}) {
  return (
    <span
      data-status={status}
      className={cn(
        'status-tint status-ink status-edge inline-flex h-6 items-center gap-1.5 rounded-full border pr-2.5 pl-2 text-xs font-medium whitespace-nowrap',
        status === 'skipped' && 'border-dashed',
        className,
      )}
    >
      <StatusIcon status={status} />
      {children}
    </span>
  )
}
