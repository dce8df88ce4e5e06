'use client'

import { Play } from 'lucide-react'
import { useId, useMemo, useState, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import type { Json } from '@/core/pipeline/json'
import { InputFields } from './input-fields'
import { fieldsOf, initialDraft, issuesByField, valuesOf, type Problems, type WireIssue } from './values'

/** The form that starts a run: one control for each input of the pipeline, and the problems that the server found. */
export function InputsForm({
  definitions,
  given,
  refused,
  starting,
  onStart,
  onClose,
  whyNothing,
  children,
}: {
  definitions: { readonly [name: string]: unknown } | undefined
  /** Values that replace the defaults when it opens. */
  given?: { readonly [name: string]: unknown }
  refused: { readonly message: string; readonly issues: readonly WireIssue[] } | null
  starting: boolean
  onStart: (inputs: Record<string, Json>) => void
  onClose: () => void
  /** Why a run with these inputs would do nothing; null: it would do something. */
  whyNothing?: ((inputs: Record<string, Json>) => string | null) | undefined
  children?: ReactNode
}) {
  const id = useId()
  const fields = useMemo(() => fieldsOf(definitions), [definitions])
  const [draft, setDraft] = useState(() => initialDraft(fields, given))
  const [problems, setProblems] = useState<Problems>(new Map())
  const read = whyNothing === undefined ? null : valuesOf(fields, draft)
  const nothing = read?.ok === true ? (whyNothing?.(read.values) ?? null) : null
  const fromServer = issuesByField(fields, refused?.issues ?? [])
  return (
    <form
      noValidate
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        const result = valuesOf(fields, draft)
        setProblems(result.ok ? new Map() : result.problems)
        if (result.ok && nothing === null) onStart(result.values)
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
        {children}
        {nothing !== null && (
          <p id={`${id}-nothing`} role="status" className="text-warning">
            {nothing}
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
        <Button
          type="submit"
          tone="primary"
          disabled={starting || nothing !== null}
          aria-describedby={nothing === null ? undefined : `${id}-nothing`}
          autoFocus={fields.length === 0}
        >
          <Play aria-hidden /> {starting ? 'Starting…' : 'Start run'}
        </Button>
      </div>
    </form>
  )
}
