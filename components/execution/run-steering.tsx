'use client'

import { useMutation } from '@tanstack/react-query'
import { CircleStop, Pause, Play, Repeat, RotateCcw, Undo2 } from 'lucide-react'
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
import { RollbackDialog } from './rollback-dialog'
import { useRunPart } from './run-context'
import { tallyOf } from './tally'

/** Pause, resume, rerun and cancel. Only what applies to the run now is shown. */
export function RunSteering() {
  const isPast = useRunPart(({ past }) => past !== null)
  const mayOperate = useMay('operate')
  // The past cannot be changed.
  return isPast || !mayOperate ? null : <Steering />
}

type Opened = 'pause' | 'cancel' | 'rerun' | 'again' | 'rollback'

/** What applies to the run now, as commands. */
function useCommands(
  applies: {
    readonly goesOn: boolean
    readonly paused: boolean
    readonly rolling: boolean
    readonly rerunnable: boolean
    readonly canRollBack: boolean
    readonly over: boolean
  },
  setOpen: (opened: Opened) => void,
  resume: () => void,
): void {
  const { goesOn, paused, rolling, rerunnable, canRollBack, over } = applies
  useListCommands(() => [
    ...(goesOn && paused
      ? [
          {
            ...{ id: 'resume', title: 'Resume run', icon: Play },
            run: resume,
          },
        ]
      : []),
    ...(goesOn && !paused && !rolling
      ? [{ id: 'pause', title: 'Pause run…', icon: Pause, run: () => setOpen('pause') }]
      : []),
    ...(rerunnable
      ? [{ id: 'rerun', title: 'Rerun failed…', icon: RotateCcw, run: () => setOpen('rerun') }]
      : []),
    ...(over ? [{ id: 'again', title: 'Run again…', icon: Repeat, run: () => setOpen('again') }] : []),
    ...(canRollBack
      ? [{ id: 'rollback', title: 'Roll back run…', icon: Undo2, run: () => setOpen('rollback') }]
      : []),
    ...(goesOn
      ? [
          {
            ...{ id: 'cancel', title: rolling ? 'Stop rollback…' : 'Cancel run…', icon: CircleStop },
            run: () => setOpen('cancel'),
          },
        ]
      : []),
  ])
}

function Steering() {
  const { executionId, over, cancelling, paused, stopped, rolling } = useRunPart(({ view, milestones }) => ({
    executionId: view.execution_id,
    over: view.finished_at !== null,
    cancelling: lastSinceRestart(milestones, 'pipeline.cancelling') !== undefined,
    paused: view.paused,
    /** Some nodes can be rerun. */
    stopped: tallyOf(view.nodes).stopped,
    rolling: view.status === 'rolling_back',
  }))
  /** Some node says how it is undone. */
  const undoable = useRunPart(
    ({ view, pipeline }) =>
      view.started_at !== null &&
      [...pipeline.nodes.values()].some(({ definition }) => definition.rollback !== undefined),
  )
  const [open, setOpen] = useState<Opened | null>(null)
  const rerunnable = (over || !cancelling) && stopped && !rolling
  const canRollBack = (over || !cancelling) && undoable && !rolling
  const resume = useMutation(
    api.executions.resume.mutationOptions({
      onSuccess: () => toast({ tone: 'good', title: 'Run resumed' }),
      onError: (error) =>
        toast({ tone: 'bad', title: 'The run could not be resumed', text: problemOf(error).message }),
    }),
  )
  const close = (next: boolean) => setOpen((now) => (next ? now : null))
  const goesOn = !over && !cancelling
  useCommands({ goesOn, paused, rolling, rerunnable, canRollBack, over }, setOpen, () =>
    resume.mutate({ execution_id: executionId }),
  )
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
      {goesOn && !paused && !rolling && (
        <Button onClick={() => setOpen('pause')}>
          <Pause aria-hidden /> Pause run…
        </Button>
      )}
      {goesOn && (
        <Button tone="danger" onClick={() => setOpen('cancel')}>
          <CircleStop aria-hidden /> {rolling ? 'Stop rollback…' : 'Cancel run…'}
        </Button>
      )}
      {rerunnable && (
        <Button onClick={() => setOpen('rerun')}>
          <RotateCcw aria-hidden /> Rerun failed…
        </Button>
      )}
      {canRollBack && (
        <Button onClick={() => setOpen('rollback')}>
          <Undo2 aria-hidden /> Roll back…
        </Button>
      )}
      {over && (
        <Button onClick={() => setOpen('again')}>
          <Repeat aria-hidden /> Run again…
        </Button>
      )}
      <RerunDialog nodes="failed" open={open === 'rerun'} onOpenChange={close} />
      {over && <ForkDialog seq={0} open={open === 'again'} onOpenChange={close} />}
      <RollbackDialog open={open === 'rollback'} onOpenChange={close} />
      <PauseDialog executionId={executionId} open={open === 'pause'} onOpenChange={close} />
      <CancelDialog
        executionId={executionId}
        rolling={rolling}
        open={open === 'cancel'}
        onOpenChange={close}
      />
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

function CancelDialog({ executionId, rolling, open, onOpenChange }: DialogProps & { rolling: boolean }) {
  const cancel = useMutation(
    api.executions.cancel.mutationOptions({
      onSuccess: () => {
        onOpenChange(false)
        toast({
          tone: 'good',
          title: rolling ? 'The rollback is being stopped' : 'The run is being cancelled',
        })
      },
    }),
  )
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={rolling ? 'Stop this rollback?' : 'Cancel this run?'}
      description={
        rolling
          ? 'Nothing more is undone. The run ends as cancelled and says what is not undone; it can be rolled back again.'
          : 'Running tasks are stopped, and nothing new starts. Nodes marked “finally” still run. This cannot be undone.'
      }
    >
      <ReasonForm
        id="cancel-reason"
        error={cancel.error}
        onSend={(reason) => cancel.mutate({ execution_id: executionId, ...reason })}
        actions={
          <>
            <Button onClick={() => onOpenChange(false)}>
              {rolling ? 'Let it go on' : 'Keep it running'}
            </Button>
            <Button type="submit" tone="danger" disabled={cancel.isPending}>
              {rolling ? 'Stop rollback' : cancel.isPending ? 'Cancelling…' : 'Cancel run'}
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
