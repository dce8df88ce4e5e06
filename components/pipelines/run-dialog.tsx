'use client'

import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useId, useMemo, useState } from 'react'
import { api, problemOf, type PipelineDocument } from '@/components/api'
import { InputFields } from '@/components/forms/input-fields'
import { fieldsOf, initialDraft, issuesByField, valuesOf, type Problems } from '@/components/forms/values'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Select } from '@/components/ui/field'

/** Starts a run of a pipeline from a form made of its inputs, and goes to it. */
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
      description={`Revision ${document.revision}. It starts at once; you are taken to it.`}
    >
      <RunForm document={document} onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function RunForm({ document, onClose }: { document: PipelineDocument; onClose: () => void }) {
  const router = useRouter()
  const fields = useMemo(() => fieldsOf(document.definition.inputs), [document])
  const [draft, setDraft] = useState(() => initialDraft(fields))
  const [problems, setProblems] = useState<Problems>(new Map())
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
  const refused = start.error === null ? null : problemOf(start.error)
  const fromServer = issuesByField(fields, refused?.issues ?? [])
  return (
    <form
      noValidate
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        const result = valuesOf(fields, draft)
        setProblems(result.ok ? new Map() : result.problems)
        if (!result.ok) return
        start.mutate({
          pipeline_id: document.id,
          revision: document.revision,
          inputs: result.values,
          ...(priority === usual ? {} : { priority }),
        })
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
        {fields.length === 0 && <p className="text-muted">This pipeline takes no inputs.</p>}
        <InputFields
          fields={fields}
          draft={draft}
          onChange={setDraft}
          problems={problems.size > 0 ? problems : fromServer.problems}
        />
        <details className="text-muted">
          <summary className="rounded-sm text-xs">More options</summary>
          <div className="pt-3">
            <Field id={`${id}-priority`} label="Priority" hint="9 is served first, 0 last.">
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
            Nothing was started: the pipeline runs as often as it may at once.
          </p>
        )}
        {refused !== null && (
          <div role="alert" className="font-medium text-danger">
            <p>{refused.message}</p>
            {fromServer.others.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </div>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary" disabled={leaving}>
          <Play aria-hidden /> {leaving ? 'Starting…' : 'Start run'}
        </Button>
      </div>
    </form>
  )
}
