'use client'

import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { api, problemOf } from '@/components/api'
import { InputsForm } from '@/components/forms/inputs-form'
import { Dialog } from '@/components/ui/dialog'
import { useRun } from './run-context'

/** Starts a new run of this one's pipeline: from the start with inputs that may be edited, or from the instant after an event. */
export function ForkDialog({
  seq,
  open,
  onOpenChange,
}: {
  /** 0: from the start. */
  seq: number
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const { view, pipeline } = useRun()
  const router = useRouter()
  const fork = useMutation(
    api.executions.fork.mutationOptions({
      onSuccess: (answer) => router.push(`/executions/${answer.execution_id}`),
    }),
  )
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={seq === 0 ? 'Run again?' : `Fork from event ${seq}?`}
      description={
        seq === 0
          ? 'A new run of the same revision, from the start. This run stays as it is.'
          : 'A new run that begins as this one stood after that event. What had ended is not done again; with other inputs approvals and what follows them are.'
      }
    >
      <InputsForm
        definitions={pipeline.definition.inputs}
        given={view.inputs}
        refused={fork.error === null ? null : problemOf(fork.error)}
        starting={fork.isPending || fork.isSuccess}
        onStart={(inputs) => fork.mutate({ execution_id: view.execution_id, at_seq: seq, inputs })}
        onClose={() => onOpenChange(false)}
      />
    </Dialog>
  )
}
