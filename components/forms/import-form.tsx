'use client'

import { CircleAlert, FileUp, TriangleAlert } from 'lucide-react'
import { useId, useRef, useState, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { ChangesList } from '@/components/ui/changes-list'
import { Field, Input, Textarea } from '@/components/ui/field'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { countDiff, describeDiff } from '@/core/pipeline/diff/describe'
import type { Issue } from '@/core/pipeline/issue'
import { maxDocumentLength } from '@/core/pipeline/yaml/yaml'
import { tooLarge, type ImportPlan } from './import-plan'
import { textOfError, useImportPlan } from './use-import-plan'

const MOST_LISTED = 50

type Ready = Exclude<ImportPlan, { kind: 'blocked' }>

/** Imports a definition from a file or from pasted text: shows what it would change, and writes nothing before it is confirmed. */
export function ImportForm({
  currentOf,
  as,
  onImport,
  onClose,
  children,
}: {
  /** The definition that has an id now, to be compared with; null: none has. */
  currentOf: (id: string) => Promise<PipelineDefinition | null>
  /** The id under which it is imported; absent: its own. */
  as?: string
  onImport: (plan: Ready) => Promise<void> | void
  onClose: () => void
  /** What else is to be known before it is written. */
  children?: (plan: Ready) => ReactNode
}) {
  const id = useId()
  const [typedId, setTypedId] = useState<string | null>(null)
  const { text, setText, plan, refusal, refuse } = useImportPlan(currentOf, as ?? typedId ?? undefined)
  const [writing, setWriting] = useState(false)
  const ready = plan !== null && plan.kind !== 'blocked' ? plan : null
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready === null || writing) return
        setWriting(true)
        Promise.resolve(onImport(ready)).catch((error: unknown) => {
          refuse(textOfError(error))
          setWriting(false)
        })
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
        <FileChoice onText={setText} onRefused={refuse} />
        <Field id={`${id}-text`} label="or paste it here">
          <Textarea
            id={`${id}-text`}
            spellCheck={false}
            className="min-h-32 font-mono text-xs"
            value={text}
            onPaste={(event) => {
              if (event.clipboardData.getData('text').length <= maxDocumentLength) return
              event.preventDefault()
              refuse(tooLarge)
            }}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        {as === undefined && text.trim() !== '' && (
          <IdField
            value={typedId ?? ready?.id ?? ''}
            fault={
              plan?.kind === 'blocked' ? plan.issues.find(({ code }) => code === 'invalid_id') : undefined
            }
            onChange={(next) => setTypedId(next === '' ? null : next)}
          />
        )}
        {refusal !== null && (
          <p role="alert" className="font-medium text-danger">
            {refusal}
          </p>
        )}
        <div aria-live="polite" className="flex flex-col gap-3">
          {plan?.kind === 'blocked' && plan.issues.every(({ code }) => code !== 'invalid_id') && (
            <Issues issues={plan.issues} title="Fix these before you import" severity="error" />
          )}
          {ready !== null && <Preview plan={ready}>{children?.(ready)}</Preview>}
        </div>
      </div>
      <div className="flex items-center justify-end gap-2 border-t border-line px-5 py-3">
        <p className="mr-auto text-xs text-faint">The import becomes a draft. Nothing is published yet.</p>
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" type="submit" disabled={ready === null || writing}>
          {writing ? 'Importing…' : 'Import'}
        </Button>
      </div>
    </form>
  )
}

/** The id under which it is imported: empty for its own. Another one imports it beside a pipeline that has its id. */
function IdField({
  value,
  fault,
  onChange,
}: {
  value: string
  fault: Issue | undefined
  onChange: (id: string) => void
}) {
  const id = useId()
  return (
    <Field
      id={id}
      label="Id"
      hint="As the definition says, or another one to import a copy."
      error={fault?.message}
    >
      <Input
        id={id}
        aria-describedby={`${id}-hint`}
        aria-invalid={fault !== undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={63}
        className="font-mono text-xs"
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
      />
    </Field>
  )
}

function FileChoice({
  onText,
  onRefused,
}: {
  onText: (text: string) => void
  onRefused: (why: string) => void
}) {
  const file = useRef<HTMLInputElement>(null)
  return (
    <div className="flex items-center gap-3">
      <input
        ref={file}
        type="file"
        accept=".yaml,.yml,.json,application/json,application/yaml,text/yaml"
        aria-label="File with a definition"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          const [chosen] = event.target.files ?? []
          event.target.value = ''
          if (chosen === undefined) return
          if (chosen.size > maxDocumentLength) onRefused(tooLarge)
          else void chosen.text().then(onText, () => onRefused('The file could not be read.'))
        }}
      />
      <Button onClick={() => file.current?.click()}>
        <FileUp aria-hidden /> Choose a file…
      </Button>
      <span className="text-faint">YAML or JSON, up to 5 MB</span>
    </div>
  )
}

function Preview({ plan, children }: { plan: Ready; children: ReactNode }) {
  const changes = plan.diff === null ? [] : describeDiff(plan.diff, plan.names)
  return (
    <>
      <p>
        {plan.kind === 'new' ? 'A new pipeline ' : 'Changes to '}
        <code className="text-xs">{plan.id}</code>: {plan.name}, {plan.nodes} node
        {plan.nodes === 1 ? '' : 's'}.{' '}
        {plan.diff !== null && (changes.length === 0 ? 'Nothing would change.' : `${countDiff(plan.diff)}.`)}
      </p>
      {changes.length > 0 && (
        <div className="max-h-60 overflow-y-auto rounded-md border border-line" tabIndex={0} role="group">
          <ChangesList changes={changes} />
        </div>
      )}
      {plan.warnings.length > 0 && <Issues issues={plan.warnings} title="Worth a look" severity="warning" />}
      {children}
    </>
  )
}

function Issues({
  issues,
  title,
  severity,
}: {
  issues: readonly Issue[]
  title: string
  severity: Issue['severity']
}) {
  const Icon = severity === 'error' ? CircleAlert : TriangleAlert
  return (
    <section aria-label={title}>
      <p className="mb-1 font-medium">
        {title}: {issues.length} {severity === 'error' ? 'problem' : 'warning'}
        {issues.length === 1 ? '' : 's'}
      </p>
      <ul
        tabIndex={0}
        aria-label={title}
        className="flex max-h-60 flex-col gap-1 overflow-y-auto text-xs break-words"
      >
        {issues.slice(0, MOST_LISTED).map(({ path, code, message, hint }, at) => (
          <li key={`${at} ${code}`} className="flex items-start gap-2">
            <Icon
              aria-hidden
              className={`mt-px size-3.5 shrink-0 ${severity === 'error' ? 'text-danger' : 'text-warning'}`}
            />
            <span className="min-w-0">
              {path.length > 0 && <code className="text-faint">{path.join('.')} </code>}
              {message}
              {hint !== undefined && <span className="text-muted"> ({hint})</span>}
            </span>
          </li>
        ))}
      </ul>
      {issues.length > MOST_LISTED && (
        <p className="text-xs text-faint">and {issues.length - MOST_LISTED} more</p>
      )}
    </section>
  )
}
