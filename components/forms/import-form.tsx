'use client'

import { CircleAlert, FileUp, TriangleAlert } from 'lucide-react'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { ChangesList } from '@/components/ui/changes-list'
import { Field, Textarea } from '@/components/ui/field'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { countDiff, tellDiff } from '@/core/pipeline/diff/words'
import type { Issue } from '@/core/pipeline/issue'
import { maxDocumentLength } from '@/core/pipeline/yaml/yaml'
import { planImport, tooLarge, type ImportPlan } from './import-plan'

const PAUSE_MS = 250
const MOST_TOLD = 50

/** A definition from a file or from the clipboard: shows what would come of it, and writes nothing before it is told to. */
export function ImportForm({
  currentOf,
  as,
  onImport,
  onClose,
  children,
}: {
  /** What stands under an id, to be compared with; null: nothing. */
  currentOf: (id: string) => Promise<PipelineDefinition | null>
  /** The id under which it is to come; absent: its own. */
  as?: string
  onImport: (plan: Exclude<ImportPlan, { kind: 'blocked' }>) => Promise<void> | void
  onClose: () => void
  /** What else is to be known before it is written. */
  children?: (plan: Exclude<ImportPlan, { kind: 'blocked' }>) => ReactNode
}) {
  const id = useId()
  const file = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [planned, setPlanned] = useState<{ text: string; plan: ImportPlan } | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const [writing, setWriting] = useState(false)
  const find = useRef(currentOf)
  useEffect(() => {
    find.current = currentOf
  }, [currentOf])

  useEffect(() => {
    if (text.trim() === '') return
    let latest = true
    const timer = setTimeout(() => {
      planImport(text, (wanted) => find.current(wanted), as).then(
        (plan) => latest && setPlanned({ text, plan }),
        (error: unknown) => latest && setRefused(error instanceof Error ? error.message : String(error)),
      )
    }, PAUSE_MS)
    return () => {
      latest = false
      clearTimeout(timer)
    }
  }, [text, as])

  function give(next: string): void {
    setRefused(next.length > maxDocumentLength ? tooLarge : null)
    setText(next.length > maxDocumentLength ? '' : next)
  }

  const plan = planned !== null && planned.text === text ? planned.plan : null
  const ready = plan !== null && plan.kind !== 'blocked' ? plan : null
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready === null || writing) return
        setWriting(true)
        Promise.resolve(onImport(ready)).catch((error: unknown) => {
          setRefused(error instanceof Error ? error.message : String(error))
          setWriting(false)
        })
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
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
              if (chosen.size > maxDocumentLength) setRefused(tooLarge)
              else void chosen.text().then(give, () => setRefused('The file could not be read.'))
            }}
          />
          <Button onClick={() => file.current?.click()}>
            <FileUp aria-hidden /> Choose a file…
          </Button>
          <span className="text-faint">YAML or JSON, up to 5 MB</span>
        </div>
        <Field id={`${id}-text`} label="or paste it here">
          <Textarea
            id={`${id}-text`}
            spellCheck={false}
            className="min-h-32 font-mono text-xs"
            value={text}
            onPaste={(event) => {
              if (event.clipboardData.getData('text').length <= maxDocumentLength) return
              event.preventDefault()
              setRefused(tooLarge)
            }}
            onChange={(event) => give(event.target.value)}
          />
        </Field>
        {refused !== null && (
          <p role="alert" className="font-medium text-danger">
            {refused}
          </p>
        )}
        <div aria-live="polite" className="flex flex-col gap-3">
          {plan?.kind === 'blocked' && (
            <Issues issues={plan.issues} title="Nothing can be imported as it is" severity="error" />
          )}
          {ready !== null && (
            <>
              <p>
                {ready.kind === 'new' ? 'A new pipeline ' : 'Changes to '}
                <code className="text-xs">{ready.id}</code>: {ready.name}, {ready.nodes} node
                {ready.nodes === 1 ? '' : 's'}.{' '}
                {ready.diff !== null &&
                  (tellDiff(ready.diff).length === 0
                    ? 'It says what is there already.'
                    : `${countDiff(ready.diff)}.`)}
              </p>
              {ready.diff !== null && tellDiff(ready.diff).length > 0 && (
                <div
                  className="max-h-60 overflow-y-auto rounded-md border border-line"
                  tabIndex={0}
                  role="group"
                >
                  <ChangesList changes={tellDiff(ready.diff)} />
                </div>
              )}
              {ready.warnings.length > 0 && (
                <Issues issues={ready.warnings} title="Worth a look" severity="warning" />
              )}
              {children?.(ready)}
            </>
          )}
        </div>
      </div>
      <div className="flex items-center justify-end gap-2 border-t border-line px-5 py-3">
        <p className="mr-auto text-xs text-faint">It comes as a draft; nothing is published yet.</p>
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" type="submit" disabled={ready === null || writing}>
          {writing ? 'Importing…' : 'Import'}
        </Button>
      </div>
    </form>
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
        {issues.slice(0, MOST_TOLD).map(({ path, code, message, hint }, at) => (
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
      {issues.length > MOST_TOLD && (
        <p className="text-xs text-faint">and {issues.length - MOST_TOLD} more</p>
      )}
    </section>
  )
}
