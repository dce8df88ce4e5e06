'use client'

import { useMutation } from '@tanstack/react-query'
import { CircleStop, TriangleAlert } from 'lucide-react'
import Link from 'next/link'
import { useState, type ReactNode } from 'react'
import { api, problemOf } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Copyable } from '@/components/ui/copyable'
import { Dialog } from '@/components/ui/dialog'
import { Field, Textarea } from '@/components/ui/field'
import { StatusBadge } from '@/components/ui/status'
import { Duration, RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'
import { useRun } from './run-context'

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline gap-1.5">
      <dt className="text-xs text-faint">{label}</dt>
      <dd className="truncate text-xs">{children}</dd>
    </div>
  )
}

/** What run this is, how it stands, when it is expected to end, and how to stop it. */
export function RunHeader() {
  const { view, pipeline, events } = useRun()
  const cancelled = events.findLast((event) => event.type === 'pipeline.cancelling')
  const [cancelling, setCancelling] = useState(false)
  const over = view.finished_at !== null
  const { tasks_total: total, tasks_completed: completed, tasks_failed: failed } = view.metrics
  return (
    <header className="border-b border-line bg-surface px-4 pt-4 pb-3 lg:px-6">
      <div className="flex items-center gap-3">
        <h1 className="min-w-0 truncate text-xl font-semibold tracking-[-0.01em]">
          <Link href={`/pipelines/${view.pipeline_id}`} className="hover:text-accent">
            {pipeline.definition.name ?? view.pipeline_id}
          </Link>
        </h1>
        <StatusBadge status={view.status} />
        {!over && (
          <Button
            tone="danger"
            className="ml-auto max-sm:size-8 max-sm:p-0"
            aria-label="Cancel run"
            onClick={() => setCancelling(true)}
          >
            <CircleStop aria-hidden /> <span className="max-sm:hidden">Cancel run…</span>
          </Button>
        )}
      </div>
      <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1">
        <Fact label="Run">
          <Copyable text={view.execution_id} />
        </Fact>
        <Fact label="Revision">{view.revision}</Fact>
        <Fact label="Started">
          <RelativeTime at={view.started_at ?? view.created_at} />
          {view.requested_by !== '' && ` by ${view.requested_by}`}
        </Fact>
        <Fact label={over ? 'Took' : 'Running for'}>
          <Duration from={view.started_at ?? view.created_at} to={view.finished_at} />
        </Fact>
        {view.eta !== null && !over && (
          <Fact label="Expected end">
            <RelativeTime at={view.eta} />
          </Fact>
        )}
        <Fact label="Nodes">
          {completed} of {total} completed
          {failed > 0 && <span className="text-failed">, {failed} failed</span>}
        </Fact>
      </dl>
      {view.error !== null && (
        <p role="alert" className="mt-2 flex items-start gap-2 text-failed">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">
            <code>{view.error.kind}</code> {view.error.message}
          </span>
        </p>
      )}
      {cancelled !== undefined && (
        <p className="mt-2 flex items-start gap-2 text-muted">
          <CircleStop aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">
            {over ? 'Cancelled' : 'Being cancelled'}
            {cancelled.actor !== undefined && ` by ${cancelled.actor}`}
            {typeof cancelled.payload['reason'] === 'string' && `: ${cancelled.payload['reason']}`}
          </span>
        </p>
      )}
      {view.warnings.length > 0 && (
        <p className="mt-2 flex items-start gap-2 text-warning">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{view.warnings.join(' · ')}</span>
        </p>
      )}
      <CancelDialog executionId={view.execution_id} open={cancelling} onOpenChange={setCancelling} />
    </header>
  )
}

function CancelDialog({
  executionId,
  open,
  onOpenChange,
}: {
  executionId: string
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const [reason, setReason] = useState('')
  const cancel = useMutation(
    api.executions.cancel.mutationOptions({
      onSuccess: () => {
        onOpenChange(false)
        toast({ tone: 'good', title: 'The run is being cancelled' })
      },
    }),
  )
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Cancel this run?"
      description="What is running is told to end, nothing new starts, and finally nodes still run. This cannot be undone."
    >
      <form
        className="flex flex-col gap-4 px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          cancel.mutate({
            execution_id: executionId,
            ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
          })
        }}
      >
        <Field id="cancel-reason" label="Reason" hint="Kept in the record of the run.">
          <Textarea
            id="cancel-reason"
            aria-describedby="cancel-reason-hint"
            maxLength={2000}
            autoFocus
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        {cancel.error !== null && (
          <p role="alert" className="font-medium text-danger">
            {problemOf(cancel.error).message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={() => onOpenChange(false)}>Keep it running</Button>
          <Button type="submit" tone="danger" disabled={cancel.isPending}>
            {cancel.isPending ? 'Cancelling…' : 'Cancel run'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
