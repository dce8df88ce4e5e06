'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { api, problemOf } from '@/components/api'
import { InputsForm } from '@/components/forms/inputs-form'
import { Dialog } from '@/components/ui/dialog'
import { canonicalJson } from '@/core/pipeline/canonical'
import { forkPreview } from './fork-preview'
import { REPEATS } from './repeat-words'
import { RevisionChoice, useNewerRevision, useRevision } from './revision-choice'
import { useRun } from './run-context'

/** Nodes listed by name; the rest is counted. */
const NAMED = 12

type Preview = { readonly reused: readonly string[]; readonly again: readonly string[] }

/** The nodes whose results a fork reuses, and those that it runs. */
function ForkPreview({ preview, nameOf }: { preview: Preview; nameOf: (id: string) => string }) {
  const names = (found: readonly string[]) => {
    const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : ''
    return found.length === 0 ? 'nothing' : `${found.slice(0, NAMED).map(nameOf).join(', ')}${more}`
  }
  return (
    <dl className="mx-5 mb-3 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 rounded-md bg-sunken px-3 py-2 text-xs">
      <dt className="font-medium text-completed">Reused</dt>
      <dd className="min-w-0 break-words">{names(preview.reused)}</dd>
      <dt className="font-medium text-running">To run</dt>
      <dd className="min-w-0 break-words">{names(preview.again)}</dd>
    </dl>
  )
}

/** Starts a new run of this one's pipeline: from the start with inputs that can be edited, or from the instant after an event. */
export function ForkDialog({
  seq,
  revision,
  open,
  onOpenChange,
}: {
  /** 0: from the start. */
  seq: number
  /** The revision that is chosen when it opens; absent: that of the run. */
  revision?: number
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={seq === 0 ? 'Run again?' : `Fork from event ${seq}?`}
      description={
        seq === 0
          ? `${REPEATS.again} To repeat only a part of it, use “Rerun from here” of a node.`
          : `${REPEATS.fork} With another input or revision, approvals ask again, and what follows them runs.`
      }
    >
      <Fork seq={seq} revision={revision} onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function Fork({
  seq,
  revision,
  onClose,
}: {
  seq: number
  revision: number | undefined
  onClose: () => void
}) {
  const { view, pipeline, foldAt } = useRun()
  const router = useRouter()
  const newer = useNewerRevision()
  const [chosen, setChosen] = useState(revision ?? view.revision)
  const isOther = chosen !== view.revision
  const other = useRevision(isOther ? chosen : null)
  const asked = { execution_id: view.execution_id, at_seq: seq, ...(isOther ? { revision: chosen } : {}) }
  // With another revision the server knows more: what runs below it.
  const elsewhere = useQuery(api.executions.previewFork.queryOptions(asked, { enabled: isOther && seq > 0 }))
  const fork = useMutation(
    api.executions.fork.mutationOptions({
      onSuccess: (answer) => router.push(`/executions/${answer.execution_id}`),
    }),
  )
  const preview = seq === 0 ? undefined : isOther ? elsewhere.data : forkPreview(foldAt(seq).state, false)
  const definition = isOther ? other?.definition : pipeline.definition
  const nameOf = (id: string) => definition?.nodes.find((node) => node.id === id)?.name ?? id
  const whyNothing = (inputs: object): string | null => {
    const newInputs = canonicalJson(inputs) !== canonicalJson(view.inputs)
    const again = isOther
      ? newInputs
        ? null
        : preview?.again
      : forkPreview(foldAt(seq).state, newInputs).again
    return again == null || again.length > 0
      ? null
      : 'Nothing would run: every node had ended by this event. Fork from an earlier event, or rerun a node in this run.'
  }
  const refused = fork.error ?? (needsInputs(elsewhere.error) ? null : elsewhere.error)
  return (
    <>
      {newer !== null && (
        <div className="mx-5 mb-4">
          <RevisionChoice
            newer={newer}
            chosen={chosen}
            onChoose={setChosen}
            where={{ own: 'What this run ran.', newer: 'The latest that was published.' }}
          />
        </div>
      )}
      {preview !== undefined && <ForkPreview preview={preview} nameOf={nameOf} />}
      {definition === undefined ? (
        <p className="px-5 pb-5 text-muted">Loading revision {chosen}…</p>
      ) : (
        <InputsForm
          key={chosen}
          definitions={definition.inputs}
          given={view.inputs}
          refused={refused === null ? null : problemOf(refused)}
          whyNothing={seq > 0 ? whyNothing : undefined}
          starting={fork.isPending || fork.isSuccess}
          onStart={(inputs) => fork.mutate({ ...asked, inputs })}
          onClose={onClose}
        />
      )}
    </>
  )
}

/** The revision has inputs that this run has not given: the form asks for them. */
const needsInputs = (error: unknown): boolean => error !== null && problemOf(error).code === 'invalid_inputs'
