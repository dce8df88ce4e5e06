'use client'

import { createContext, useContext, useId, useRef, useState, type ReactNode } from 'react'
import { cn } from '@/components/ui/class-names'
import { Field, Input, Textarea } from '@/components/ui/field'
import { isRecord, type Json } from '@/core/pipeline/json'
import type { Issue } from '@/core/pipeline/issue'
import { readTypedJson } from '@/core/pipeline/json-text'
import { durationText } from '@/components/ui/times'
import type { Shown } from '@/components/editor/model/rehearsal/rehearser'

/** The controls of a plan. They edit the plan directly, and show its issues at their fields. */

type Path = readonly (string | number)[]

const IssuesContext = createContext<readonly Issue[]>([])
const RefusedContext = createContext<Shown['refused']>([])

/** What is wrong with the plan that the fields below show, and what of it the engine refused. */
export function PlanIssues({
  issues,
  refused,
  children,
}: {
  issues: readonly Issue[]
  refused: Shown['refused']
  children: ReactNode
}) {
  return (
    <IssuesContext value={issues}>
      <RefusedContext value={refused}>{children}</RefusedContext>
    </IssuesContext>
  )
}

/** What is wrong at a place of the plan, or somewhere in it. */
export function useIssueAt(path: Path): string | undefined {
  const issues = useContext(IssuesContext)
  const found = issues.find((issue) => path.every((key, at) => issue.path[at] === key))
  if (found === undefined) return undefined
  return found.hint === undefined ? found.message : `${found.message} (${found.hint})`
}

/** Why the engine refused the step at a path of the plan. */
export function Refusal({ path }: { path: Path }) {
  const refused = useContext(RefusedContext)
  const found = refused.find((one) => one.path.join('\n') === path.join('\n'))
  if (found === undefined) return null
  return (
    <p role="alert" className="text-xs font-medium text-danger">
      Refused after {durationText(found.after)}: {found.message}
    </p>
  )
}

/** A duration as it is written in definitions. Empty: undefined. */
export function DurationField({
  label,
  path,
  value,
  usual,
  onChange,
}: {
  label: string
  path: Path
  value: string | number | null | undefined
  /** What it is where nothing is said. */
  usual?: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const id = useId()
  const issue = useIssueAt(path)
  return (
    <Field id={id} label={label} error={issue}>
      <Input
        id={id}
        value={value == null ? '' : typeof value === 'number' ? `${value}ms` : value}
        placeholder={usual ?? 'such as 90s or 2h'}
        aria-invalid={issue !== undefined}
        aria-describedby={issue === undefined ? undefined : `${id}-error`}
        autoComplete="off"
        className="font-mono"
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
    </Field>
  )
}

/** How much there is of a pool; of memory a size. */
export function AmountField({
  label,
  path,
  value,
  onChange,
}: {
  label: string
  path: Path
  value: number | string | undefined
  onChange: (value: number | string | undefined) => void
}) {
  const id = useId()
  const issue = useIssueAt(path)
  return (
    <Field id={id} label={label} error={issue}>
      <Input
        id={id}
        value={value ?? ''}
        placeholder="as much as is wanted"
        aria-invalid={issue !== undefined}
        aria-describedby={issue === undefined ? undefined : `${id}-error`}
        onChange={({ target: { value: text } }) => {
          const number = Number(text)
          onChange(
            text === '' ? undefined : /^[\d.]*\d$/.test(text) && Number.isFinite(number) ? number : text,
          )
        }}
      />
    </Field>
  )
}

/** A whole number. Empty: undefined. */
export function CountField({
  label,
  path,
  value,
  usual,
  onChange,
}: {
  label: string
  path: Path
  value: number | undefined
  usual: string
  onChange: (value: number | undefined) => void
}) {
  const id = useId()
  const issue = useIssueAt(path)
  return (
    <Field id={id} label={label} error={issue}>
      <Input
        id={id}
        type="number"
        min={1}
        step={1}
        value={value ?? ''}
        placeholder={usual}
        aria-invalid={issue !== undefined}
        aria-describedby={issue === undefined ? undefined : `${id}-error`}
        onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
      />
    </Field>
  )
}

export function TextField({
  label,
  path,
  value,
  usual = '',
  onChange,
}: {
  label: string
  path: Path
  value: string | undefined
  usual?: string
  onChange: (value: string | undefined) => void
}) {
  const id = useId()
  const issue = useIssueAt(path)
  return (
    <Field id={id} label={label} error={issue}>
      <Input
        id={id}
        value={value ?? ''}
        placeholder={usual}
        autoComplete="off"
        aria-invalid={issue !== undefined}
        aria-describedby={issue === undefined ? undefined : `${id}-error`}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
    </Field>
  )
}

/** A JSON object. What is no JSON yet is not in the plan yet. */
export function JsonField({
  label,
  path,
  value,
  hint,
  onChange,
}: {
  label: string
  path: Path
  value: { readonly [name: string]: Json } | undefined
  hint?: ReactNode
  onChange: (value: { [name: string]: Json } | undefined) => void
}) {
  const id = useId()
  const written = value === undefined ? '' : JSON.stringify(value, null, 1)
  const [text, setText] = useState(written)
  const [problem, setProblem] = useState<string>()
  // What it becomes elsewhere (another case is opened) is shown; what was typed here stays as it was typed.
  const known = useRef(written)
  if (known.current !== written) {
    known.current = written
    setText(written)
    setProblem(undefined)
  }
  const refused = useIssueAt(path)
  const issue = problem ?? refused
  const take = (next: string) => {
    setText(next)
    if (next.trim() === '') {
      known.current = ''
      setProblem(undefined)
      return onChange(undefined)
    }
    const read = readTypedJson(next)
    if (!read.ok) return setProblem(read.error)
    const { value } = read
    if (!isRecord(value)) return setProblem('This must be a JSON object: { … }.')
    known.current = JSON.stringify(value, null, 1)
    setProblem(undefined)
    onChange(value as { [name: string]: Json })
  }
  return (
    <Field id={id} label={label} error={issue} {...(hint === undefined ? {} : { hint })}>
      <Textarea
        id={id}
        value={text}
        spellCheck={false}
        className="min-h-16 font-mono text-xs"
        aria-invalid={issue !== undefined}
        aria-describedby={
          issue === undefined ? (hint === undefined ? undefined : `${id}-hint`) : `${id}-error`
        }
        onChange={({ target }) => take(target.value)}
      />
    </Field>
  )
}

/** One of a few words, side by side. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly { readonly value: T; readonly text: string }[]
  onChange: (value: T) => void
}) {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <div className="flex w-fit max-w-full flex-wrap overflow-hidden rounded-md border border-line-strong shadow-card">
        {options.map(({ value: each, text }) => (
          <label
            key={each}
            className={cn(
              'relative flex h-8 cursor-pointer items-center border-l border-line px-2.5 text-sm first:border-l-0 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
              value === each
                ? 'bg-accent-soft font-medium text-accent'
                : 'bg-surface text-muted hover:bg-sunken',
            )}
          >
            <input
              type="radio"
              name={name}
              value={each}
              checked={value === each}
              onChange={() => onChange(each)}
              className="absolute inset-0 size-full cursor-pointer appearance-none opacity-0"
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
