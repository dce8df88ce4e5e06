'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useDeferredValue, useId, useState } from 'react'
import { api } from '@/components/api'
import { withId } from '@/components/forms/import-plan'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { idPattern } from '@/core/pipeline/definition/definition'
import { changeDocument, openDocument } from '@/core/pipeline/yaml/document'
import { isRecord } from '@/core/pipeline/json'
import { stringifyYaml } from '@/core/pipeline/yaml/yaml'
import { beginDraft, openingOf } from './begin-draft'
import { idFrom } from './id-from'

/** The example that a new pipeline starts from. */
export type Beginning = { readonly name: string; readonly yaml: string }

/** Asks for the name of a new pipeline, creates its draft and opens the editor. `from`: the example to start from. */
export function NewPipeline({
  open,
  onOpenChange,
  from,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  from?: Beginning | undefined
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={from === undefined ? 'New pipeline' : `New pipeline from “${from.name}”`}
      description="It starts as your draft. Only you see it until you publish it."
    >
      <NewForm from={from} onClose={() => onOpenChange(false)} />
    </Dialog>
  )
}

function NewForm({ from, onClose }: { from: Beginning | undefined; onClose: () => void }) {
  const router = useRouter()
  const prefix = useId()
  const [name, setName] = useState(from === undefined ? '' : `${from.name} (copy)`)
  const [typed, setTyped] = useState<string | null>(null)
  const id = typed ?? idFrom(name)
  const asked = useDeferredValue(id)
  const wellFormed = idPattern.test(id)
  const { data: found } = useQuery(
    api.pipelines.open.queryOptions({ pipeline_id: asked }, { enabled: idPattern.test(asked) }),
  )
  const taken =
    found === undefined || asked !== id
      ? undefined
      : found.pipeline !== null
        ? `The pipeline “${found.pipeline.name}” already has this id. Choose another id.`
        : found.draft !== null
          ? 'You already have a draft with this id. Choose another id, or open the draft.'
          : undefined
  const begin = useMutation({
    mutationFn: async () => {
      const there = await openingOf(id)
      if (there.pipeline !== null || there.draft !== null)
        throw new Error('This id was just taken. Choose another.')
      await beginDraft(id, from === undefined ? empty(id, name) : renamed(from.yaml, id, name), there)
    },
    onSuccess: () => router.push(`/pipelines/${id}`),
  })
  const opening = begin.isPending || begin.isSuccess
  const fault = opening
    ? undefined
    : wellFormed
      ? taken
      : id === ''
        ? undefined
        : 'Start with a lowercase letter. Use up to 63 lowercase letters, digits and _.'
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (wellFormed && taken === undefined && !begin.isPending) begin.mutate()
      }}
    >
      <div className="flex flex-col gap-4 px-5 pb-4">
        <Field id={`${prefix}-name`} label="Name" required>
          <Input
            id={`${prefix}-name`}
            autoFocus
            autoComplete="off"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field
          id={`${prefix}-id`}
          label="Id"
          required
          hint="Used in addresses, events and other pipelines. It cannot be changed later."
          error={fault}
        >
          <Input
            id={`${prefix}-id`}
            aria-describedby={`${prefix}-id-hint${fault === undefined ? '' : ` ${prefix}-id-error`}`}
            aria-invalid={fault !== undefined}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs"
            value={id}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        {begin.error !== null && (
          <p role="alert" className="font-medium text-danger">
            {begin.error.message}
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" type="submit" disabled={!wellFormed || taken !== undefined || opening}>
          {opening ? 'Opening…' : 'Open the editor'}
        </Button>
      </div>
    </form>
  )
}

function empty(id: string, name: string): string {
  return stringifyYaml({ schemaVersion: 1, id, name: name.trim() === '' ? id : name.trim(), nodes: [] })
}

/** The example with its new id and name; its comments stay. */
function renamed(yaml: string, id: string, name: string): string {
  const opened = openDocument(withId(yaml, id))
  if (!opened.ok || !isRecord(opened.value.value)) return yaml
  return changeDocument(opened.value, { ...opened.value.value, name: name.trim() === '' ? id : name.trim() })
    .text
}
