'use client'

import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { api, problemOf } from '@/components/api'
import { InputsForm } from '@/components/forms/inputs-form'
import { Dialog } from '@/components/ui/dialog'
import { canonicalJson } from '@/core/pipeline/canonical'
import { forkPreview } from './fork-preview'
import { useRun, type Run } from './run-context'

/** Nodes listed by name; the rest is counted. */
const NAMED = 12

/** The nodes whose results a fork reuses, and those that it runs. */
function ForkPreview({ seq, foldAt }: { seq: number; foldAt: Run['foldAt'] }) {
  const { state } = foldAt(seq)
  const { reused, again } = forkPreview(state, false)
  const names = (found: readonly string[]) => {
    const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : ''
    const named = found.slice(0, NAMED).map((id) => state.pipeline.nodes.get(id)?.definition.name ?? id)
    return found.length === 0 ? 'nothing' : `${named.join(', ')}${more}`
  }
  return (
    <dl className="mx-5 mb-3 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 rounded-md bg-sunken px-3 py-2 text-xs">
      <dt className="font-medium text-completed">Reused</dt>
      <dd className="min-w-0 break-words">{names(reused)}</dd>
      <dt className="font-medium text-running">Run again</dt>
      <dd className="min-w-0 break-words">{names(again)}</dd>
    </dl>
  )
}

/** Starts a new run of this one's pipeline: from the start with inputs that can be edited, or from the instant after an event. */
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
  const { view, pipeline, foldAt } = useRun()
  const router = useRouter()
  const whyNothing = (inputs: object): string | null => {
    const newInputs = canonicalJson(inputs) !== canonicalJson(view.inputs)
    return forkPreview(foldAt(seq).state, newInputs).again.length > 0
      ? null
      : 'Nothing would run: every node had ended by this event. Fork from an earlier event, or rerun a node in this run.'
  }
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
          ? 'A new run of the same revision, from the start. This run stays as it is. To repeat only a part of this run, rerun it from a node.'
          : 'A fork: a new run that continues from that event of this one. Nodes that had ended do not run again. If you change an input, people are asked again, and everything after their decision runs again.'
      }
    >
      {open && seq > 0 && <ForkPreview seq={seq} foldAt={foldAt} />}
      <InputsForm
        definitions={pipeline.definition.inputs}
        given={view.inputs}
        refused={fork.error === null ? null : problemOf(fork.error)}
        whyNothing={seq > 0 ? whyNothing : undefined}
        starting={fork.isPending || fork.isSuccess}
        onStart={(inputs) => fork.mutate({ execution_id: view.execution_id, at_seq: seq, inputs })}
        onClose={() => onOpenChange(false)}
      />
    </Dialog>
  )
}
