import { FlaskConical } from 'lucide-react'
import type { ExecutionStatus } from '@/core/engine/view/view'
import { cn } from './class-names'
import { StatusBadge, statusText, type Status } from './status'

/** What a run says of itself wherever it is shown. */
export type RunMarks = {
  readonly status: string
  readonly handled_failures: number
  readonly mocked: boolean
}

/** A run that completed although something failed looks like no other. */
export const runStatus = ({ status, handled_failures: handled }: Omit<RunMarks, 'mocked'>): Status =>
  status === 'completed' && handled > 0 ? 'handled' : (status as ExecutionStatus)

/** The outcome or the status of a run in words. */
export function runText(run: Omit<RunMarks, 'mocked'>): string {
  const status = runStatus(run)
  return status === 'handled' && run.handled_failures > 1
    ? `Completed, with ${run.handled_failures} failures handled`
    : statusText(status)
}

/** The status of a run as a badge, and beside it whether its values come from mocks. `short`: where there is little room. */
export function RunBadge({
  run,
  short = false,
  className,
}: {
  run: RunMarks
  short?: boolean
  className?: string
}) {
  const text = runText(run)
  return (
    <span className={cn('inline-flex flex-wrap items-center gap-1', className)}>
      <StatusBadge status={runStatus(run)}>
        {short && runStatus(run) === 'handled' ? (
          <>
            <span className="sr-only">{text}</span>
            <span aria-hidden title={text}>
              Failure handled
            </span>
          </>
        ) : (
          text
        )}
      </StatusBadge>
      {run.mocked && <MockMark />}
    </span>
  )
}

/** Marks a run, a node or a question whose values come from mocks. */
export function MockMark({ className }: { className?: string }) {
  return (
    <span
      title="Some values come from mocks"
      className={cn(
        'inline-flex h-6 items-center gap-1 rounded-full border border-dashed border-warning/60 px-2 text-xs font-medium whitespace-nowrap text-warning',
        className,
      )}
    >
      <FlaskConical aria-hidden className="size-3.5" />
      Mocks
    </span>
  )
}
