'use client'

import { ArrowLeft, Check, X } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import type { Json } from '@/core/pipeline/json'
import { Button } from '@/components/ui/button'
import { Field, Textarea } from '@/components/ui/field'
import { InputFields } from './input-fields'
import { fieldsOf, initialDraft, issuesByField, valuesOf, type Problems, type WireIssue } from './values'

export type Decision = {
  readonly decision: 'approved' | 'rejected'
  readonly comment?: string
  readonly form?: Record<string, Json>
}

/** Large enough for touch. */
const FINGER = 'pointer-coarse:h-11 pointer-coarse:px-4'

/**
 * Approve and Reject in two steps: choose, then confirm with a comment and the fields that the approval asks for.
 * The first step sends nothing. A rejection does not need the fields of the form.
 */
export function DecisionForm({
  form,
  busy,
  error,
  onDecide,
  begins,
}: {
  form: { readonly [name: string]: unknown } | null
  busy: boolean
  error: { readonly message: string; readonly issues: readonly WireIssue[] } | null
  onDecide: (decision: Decision) => void
  /** The answer that was chosen elsewhere; it can be changed. */
  begins?: 'approved' | 'rejected' | undefined
}) {
  const fields = useMemo(() => fieldsOf(form), [form])
  const [chosen, setChosen] = useState<'approved' | 'rejected' | null>(begins ?? null)
  const [draft, setDraft] = useState(() => initialDraft(fields))
  const [comment, setComment] = useState('')
  const [problems, setProblems] = useState<Problems>(new Map())
  const id = useId()

  if (chosen === null)
    return (
      <div className="flex gap-2">
        <Button tone="primary" className={FINGER} onClick={() => setChosen('approved')}>
          <Check aria-hidden /> Approve…
        </Button>
        <Button tone="danger" className={FINGER} onClick={() => setChosen('rejected')}>
          <X aria-hidden /> Reject…
        </Button>
      </div>
    )

  const fromServer = issuesByField(fields, error?.issues ?? [])
  const shown = problems.size > 0 ? problems : fromServer.problems
  const approving = chosen === 'approved'
  return (
    <form
      className="flex flex-col gap-3"
      aria-label={approving ? 'Confirm the approval' : 'Confirm the rejection'}
      onSubmit={(event) => {
        event.preventDefault()
        const said = comment.trim() === '' ? {} : { comment: comment.trim() }
        if (!approving || fields.length === 0) {
          onDecide({ decision: chosen, ...said })
          return
        }
        const result = valuesOf(fields, draft)
        setProblems(result.ok ? new Map() : result.problems)
        if (result.ok) onDecide({ decision: chosen, ...said, form: result.values })
      }}
    >
      {approving && <InputFields fields={fields} draft={draft} onChange={setDraft} problems={shown} />}
      <Field
        id={`${id}-comment`}
        label="Comment"
        hint="Saved with the decision. Everyone who can see this run can read it."
      >
        <Textarea
          id={`${id}-comment`}
          autoFocus
          maxLength={2000}
          aria-describedby={`${id}-comment-hint`}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
      </Field>
      {error !== null && (
        <p role="alert" className="font-medium text-danger">
          {error.message}
          {fromServer.others.length > 0 && ` ${fromServer.others.join(' ')}`}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone={approving ? 'primary' : 'danger'} disabled={busy}>
          {approving ? <Check aria-hidden /> : <X aria-hidden />}
          {busy ? 'Sending…' : approving ? 'Confirm approval' : 'Confirm rejection'}
        </Button>
        <Button tone="quiet" disabled={busy} onClick={() => setChosen(null)}>
          <ArrowLeft aria-hidden /> Back
        </Button>
      </div>
    </form>
  )
}
