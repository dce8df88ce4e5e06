import { FlaskConical } from 'lucide-react'
import { rejectedBy } from '@/core/engine/rejection'
import type { ExecutionStatus } from '@/core/engine/view/view'
import { cn } from './class-names'
import { StatusBadge, statusText, type Status } from './status'

/** What a run says of itself wherever it is shown. */
export type RunMarks = {
  readonly status: string
  readonly handled_failures: number
  readonly mocked: boolean
  /** Why it failed. */
  readonly error: { readonly kind: string; readonly message: string } | null
}

/** A run that completed although something failed looks like no other, and so does one that a person's no ended. */
export function runStatus({ status, handled_failures: handled, error }: Omit<RunMarks, 'mocked'>): Status {
  if (status === 'completed' && handled > 0) return 'handled'
  return status === 'failed' && rejectedBy(error) !== null ? 'rejected' : (status as ExecutionStatus)
}

/** The outcome or the status of a run in words. */
export function runText(run: Omit<RunMarks, 'mocked'>): string {
  const status = runStatus(run)
  if (status === 'rejected') return `Rejected by ${rejectedBy(run.error)}`
  return status === 'handled' && run.handled_failures > 1
    ? `Completed, with ${run.handled_failures} failures handled`
    : statusText(status)
}

/**
 * The status of a run as a badge, and beside it whether its values come from mocks. It is short on narrow screens; `short`: everywhere,
 * as in a table.
 */
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
    <span className={cn('inline-flex items-center gap-1', className)}>
      <StatusBadge status={runStatus(run)}>
        {runStatus(run) === 'handled' ? (
          <>
            <span className={short ? 'sr-only' : 'max-sm:sr-only'}>{text}</span>
            <span aria-hidden title={text} className={short ? undefined : 'sm:hidden'}>
              Failure handled
            </span>
          </>
        ) : (
          text
        )}
      </StatusBadge>
      {run.mocked && <MockMark short={short} />}
    </span>
  )
}

/** Marks a run or an approval with values from mocks; short it is an icon. */
export function MockMark({ short = false, className }: { short?: boolean; className?: string }) {
  return (
    <span
      title="Some values come from mocks"
      className={cn(
        'inline-flex h-6 min-w-6 items-center justify-center gap-1 rounded-full border border-dashed border-warning/60 text-xs font-medium whitespace-nowrap text-warning',
        short ? '' : 'sm:px-2',
        className,
      )}
    >
      <FlaskConical aria-hidden className="size-3.5" />
      <span className={short ? 'sr-only' : 'max-sm:sr-only'}>Mocks</span>
    </span>
  )
}
