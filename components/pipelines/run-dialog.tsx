'use client'

import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useId, useState } from 'react'
import { api, problemOf, type PipelineDocument } from '@/components/api'
import { InputsForm } from '@/components/forms/inputs-form'
import { Dialog } from '@/components/ui/dialog'
import { Field, Select } from '@/components/ui/field'

/** Starts a run from a form of the pipeline's inputs, and opens the run. */
export function RunDialog({
  document,
  open,
  onOpenChange,
}: {
  document: PipelineDocument
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Run ${document.name}`}
      description={`Revision ${document.revision}. The run starts now and opens.`}
    >
      <RunForm document={document} onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function RunForm({ document, onClose }: { document: PipelineDocument; onClose: () => void }) {
  const router = useRouter()
  const usual = document.definition.policy?.priority ?? 5
  const [priority, setPriority] = useState(usual)
  const id = useId()
  const start = useMutation(
    api.executions.start.mutationOptions({
      onSuccess({ execution_id: started }) {
        if (started !== null) router.push(`/executions/${started}`)
      },
    }),
  )
  const leaving = start.isPending || typeof start.data?.execution_id === 'string'
  return (
    <InputsForm
      definitions={document.definition.inputs}
      refused={start.error === null ? null : problemOf(start.error)}
      starting={leaving}
      onStart={(inputs) =>
        start.mutate({
          pipeline_id: document.id,
          revision: document.revision,
          inputs,
          ...(priority === usual ? {} : { priority }),
        })
      }
      onClose={onClose}
    >
      <details className="text-muted">
        <summary className="rounded-sm text-xs">More options</summary>
        <div className="pt-3">
          <Field id={`${id}-priority`} label="Priority" hint="9 runs first, 0 last.">
            <Select
              id={`${id}-priority`}
              aria-describedby={`${id}-priority-hint`}
              className="w-28"
              value={priority}
              onChange={(event) => setPriority(Number(event.target.value))}
            >
              {Array.from({ length: 10 }, (_, index) => (
                <option key={index} value={index}>
                  {index}
                  {index === usual ? ' (usual)' : ''}
                </option>
              ))}
            </Select>
          </Field>
        </div>
      </details>
      {start.data?.execution_id === null && (
        <p role="alert" className="font-medium">
          Nothing was started: the pipeline already has as many runs as it may have at once.
        </p>
      )}
    </InputsForm>
  )
}
