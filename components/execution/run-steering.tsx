'use client'

import { useMutation } from '@tanstack/react-query'
import { CircleStop, Pause, Play, Repeat, RotateCcw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { api, problemOf, useMay } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Textarea } from '@/components/ui/field'
import { useListCommands } from '@/components/ui/listed-commands'
import { toast } from '@/components/ui/toast'
import { lastSinceRestart } from './attempts'
import { ForkDialog } from './fork-dialog'
import { RerunDialog } from './rerun-dialog'
import { useRunPart } from './run-context'
import { tallyOf } from './tally'

/** Pause, resume, rerun and cancel. Only what applies to the run now is shown. */
export function RunSteering() {
  const isPast = useRunPart(({ past }) => past !== null)
  const mayOperate = useMay('operate')
  // The past cannot be changed.
  return isPast || !mayOperate ? null : <Steering />
}

function Steering() {
  const { executionId, over, cancelling, paused, stopped } = useRunPart(({ view, milestones }) => ({
    executionId: view.execution_id,
    over: view.finished_at !== null,
    cancelling: lastSinceRestart(milestones, 'pipeline.cancelling') !== undefined,
    paused: view.paused,
    /** Some nodes can be rerun. */
    stopped: tallyOf(view.nodes).stopped,
  }))
  const [open, setOpen] = useState<'pause' | 'cancel' | 'rerun' | 'again' | null>(null)
  const rerunnable = (over || !cancelling) && stopped
  const resume = useMutation(
    api.executions.resume.mutationOptions({
      onSuccess: () => toast({ tone: 'good', title: 'Run resumed' }),
      onError: (error) =>
        toast({ tone: 'bad', title: 'The run could not be resumed', text: problemOf(error).message }),
    }),
  )
  const close = (next: boolean) => setOpen((now) => (next ? now : null))
  const goesOn = !over && !cancelling
  useListCommands(() => [
    ...(goesOn && paused
      ? [
          {
            ...{ id: 'resume', title: 'Resume run', icon: Play },
            run: () => resume.mutate({ execution_id: executionId }),
          },
        ]
      : []),
    ...(goesOn && !paused
      ? [{ id: 'pause', title: 'Pause run…', icon: Pause, run: () => setOpen('pause') }]
      : []),
    ...(rerunnable
      ? [{ id: 'rerun', title: 'Rerun failed…', icon: RotateCcw, run: () => setOpen('rerun') }]
      : []),
    ...(over ? [{ id: 'again', title: 'Run again…', icon: Repeat, run: () => setOpen('again') }] : []),
    ...(goesOn
      ? [{ id: 'cancel', title: 'Cancel run…', icon: CircleStop, run: () => setOpen('cancel') }]
      : []),
  ])
  return (
    <div className="ml-auto flex flex-wrap gap-2 max-sm:ml-0 sm:shrink-0">
      {goesOn && paused && (
        <Button
          tone="primary"

          disabled={resume.isPending}
          onClick={() => resume.mutate({ execution_id: executionId })}
        >
          <Play aria-hidden /> Resume run
        </Button>
      )}
      {goesOn && !paused && (
        <Button onClick={() => setOpen('pause')}>
          <Pause aria-hidden /> Pause run…
        </Button>
      )}
      {goesOn && (
        <Button tone="danger" onClick={() => setOpen('cancel')}>
          <CircleStop aria-hidden /> Cancel run…
        </Button>
      )}
      {rerunnable && (
        <Button onClick={() => setOpen('rerun')}>
          <RotateCcw aria-hidden /> Rerun failed…
        </Button>
      )}
      {over && (
        <Button onClick={() => setOpen('again')}>
          <Repeat aria-hidden /> Run again…
        </Button>
      )}
      <RerunDialog nodes="failed" open={open === 'rerun'} onOpenChange={close} />
      {over && <ForkDialog seq={0} open={open === 'again'} onOpenChange={close} />}
      <PauseDialog executionId={executionId} open={open === 'pause'} onOpenChange={close} />
      <CancelDialog executionId={executionId} open={open === 'cancel'} onOpenChange={close} />
    </div>
  )
}

type DialogProps = {
  executionId: string
  open: boolean
  onOpenChange: (open: boolean) => void
}

function PauseDialog({ executionId, open, onOpenChange }: DialogProps) {
  const [hard, setHard] = useState(false)
  const pause = useMutation(
    api.executions.pause.mutationOptions({
      onSuccess: () => {
        onOpenChange(false)
        toast({ tone: 'good', title: 'Run paused' })
      },
    }),
  )
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Pause this run?"
      description="Nothing new starts until you resume it. Finished work is not lost."
    >
      <ReasonForm
        id="pause-reason"
        error={pause.error}
        onSend={(reason) => pause.mutate({ execution_id: executionId, hard, ...reason })}
        actions={
          <>
            <Button onClick={() => onOpenChange(false)}>Keep it running</Button>
            <Button type="submit" tone="primary" disabled={pause.isPending}>
              {pause.isPending ? 'Pausing…' : 'Pause run'}
            </Button>
          </>
        }
      >
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-1 size-3.5 shrink-0 accent-(--accent)"
            aria-describedby="pause-hard-hint"
            checked={hard}
            onChange={(event) => setHard(event.target.checked)}
          />
          <span>
            Stop running tasks and run them again later
            <span id="pause-hard-hint" className="block text-xs text-faint">
              Otherwise, running tasks finish first.
            </span>
          </span>
        </label>
      </ReasonForm>
    </Dialog>
  )
}

function CancelDialog({ executionId, open, onOpenChange }: DialogProps) {
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
      description="Running tasks are stopped, and nothing new starts. Nodes marked “finally” still run. This cannot be undone."
    >
      <ReasonForm
        id="cancel-reason"
        error={cancel.error}
        onSend={(reason) => cancel.mutate({ execution_id: executionId, ...reason })}
        actions={
          <>
            <Button onClick={() => onOpenChange(false)}>Keep it running</Button>
            <Button type="submit" tone="danger" disabled={cancel.isPending}>
              {cancel.isPending ? 'Cancelling…' : 'Cancel run'}
            </Button>
          </>
        }
      />
    </Dialog>
  )
}

function ReasonForm({
  id,
  error,
  onSend,
  actions,
  children,
}: {
  id: string
  error: unknown
  onSend: (reason: { reason?: string }) => void
  actions: ReactNode
  children?: ReactNode
}) {
  const [reason, setReason] = useState('')
  return (
    <form
      className="flex flex-col gap-4 overflow-y-auto px-5 pb-5"
      onSubmit={(event) => {
        event.preventDefault()
        onSend(reason.trim() === '' ? {} : { reason: reason.trim() })
      }}
    >
      <Field id={id} label="Reason" hint="Saved in the record of the run.">
        <Textarea
          id={id}
          aria-describedby={`${id}-hint`}
          maxLength={2000}
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      {children}
      {error !== null && (
        <p role="alert" className="font-medium text-danger">
          {problemOf(error).message}
        </p>
      )}
      <div className="flex justify-end gap-2">{actions}</div>
    </form>
  )
}
