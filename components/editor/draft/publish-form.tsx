'use client'

import { CalendarClock, CircleAlert, CirclePause, Minus, TriangleAlert } from 'lucide-react'
import { useId, useMemo, useState, type ReactNode } from 'react'
import type { ApiProblem } from '@/components/api'
import { useDraft } from '@/components/editor/editor-context'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { Button } from '@/components/ui/button'
import { ChangesList } from '@/components/ui/changes-list'
import { cn } from '@/components/ui/class-names'
import { Field, Textarea } from '@/components/ui/field'
import { useNow } from '@/components/ui/time'
import { countDiff, describeDiff, nodeNames } from '@/core/pipeline/diff/describe'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { isDirty } from '@/components/editor/model/draft/draft'
import { draftDiff } from '@/components/editor/model/draft/draft-diff'
import { goesLive } from '@/components/editor/model/draft/goes-live'
import { useSession } from '@/components/editor/session-context'
import type { PublishProps } from './publish-props'
import { useGoTo } from '@/components/editor/problems/use-go-to'
import { usePublish } from './use-publish'
import { useSchedules } from './use-schedules'

const MOST_SHOWN = 8
const MOST_NOTE = 500

/** What a revision will change, what is doubtful in it, and the note that it is given. */
export function PublishForm({ onOpenChange, errors, warnings }: PublishProps) {
  const goTo = useGoTo()
  const lead = (to: Problem) => {
    onOpenChange(false)
    goTo(to)
  }
  const { publish, busy, problem } = usePublish(() => onOpenChange(false))
  const dirty = useDraft(isDirty)
  const [note, setNote] = useState('')
  const blocked = errors.length > 0 || !dirty || busy
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (!blocked) publish(note.trim())
      }}
    >
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pb-4">
        {!dirty && <p>There is nothing to publish: the draft equals the current revision.</p>}
        <Listed
          of={errors}
          onLead={lead}
          title="Fix these errors first"
          icon={<CircleAlert aria-label="Error" className="mt-0.5 size-3.5 shrink-0 text-danger" />}
        />
        {dirty && errors.length === 0 && (
          <>
            <WhatChanges />
            <WhatGoesLive />
            <Listed
              of={warnings}
              onLead={lead}
              title="Worth a look before you publish"
              icon={<TriangleAlert aria-label="Warning" className="mt-0.5 size-3.5 shrink-0 text-warning" />}
            />
            <NoteField value={note} onChange={setNote} />
          </>
        )}
        {problem !== null && <Refused problem={problem} />}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-5 py-3">
        <Button onClick={() => onOpenChange(false)}>Cancel</Button>
        <Button tone="primary" type="submit" disabled={blocked}>
          {busy ? 'Publishing…' : 'Publish'}
        </Button>
      </div>
    </form>
  )
}

function WhatChanges() {
  const text = useDraft((draft) => draft.text)
  const saved = useDraft((draft) => draft.saved.text)
  const diff = useMemo(() => draftDiff(saved, text), [saved, text])
  const definition = useDraft((draft) => draft.definition)
  const names = useMemo(() => {
    const before = parseYaml(saved)
    return nodeNames(definition, before.ok ? before.value : null)
  }, [definition, saved])
  const changes = diff === null ? [] : describeDiff(diff, names)
  return (
    <section aria-label="What changes">
      <p className="mb-1.5">
        {diff === null
          ? 'Everything is new.'
          : changes.length === 0
            ? 'Only comments and formatting differ.'
            : `${countDiff(diff)}.`}
      </p>
      {changes.length > 0 && (
        <div className="max-h-72 overflow-y-auto rounded-md border border-line" tabIndex={0} role="group">
          <ChangesList changes={changes} />
        </div>
      )}
    </section>
  )
}

const LIVE_ICONS = { starts: CalendarClock, off: CirclePause, removed: Minus } as const

/** What starts runs by itself once this is published, and what does so no longer. */
function WhatGoesLive() {
  const { pipelineId } = useSession()
  const definition = useDraft((draft) => draft.definition)
  const saved = useDraft((draft) => draft.saved)
  const before = useMemo(() => {
    const parsed = saved.revision === 0 ? null : parseYaml(saved.text)
    return parsed?.ok ? parsed.value : null
  }, [saved])
  const stored = useSchedules()
  const now = useNow()
  const lines = goesLive(definition, { pipelineId, before, stored, now })
  return (
    <section aria-label="What goes live">
      <p className="mb-1 font-medium">What goes live</p>
      {lines.length === 0 ? (
        <p className="text-xs text-muted">No schedule and no hook: it runs when somebody starts it.</p>
      ) : (
        <ul className="flex flex-col gap-1 text-xs">
          {lines.map(({ key, kind, text }) => {
            const Icon = LIVE_ICONS[kind]
            return (
              <li key={key} className="flex items-start gap-2">
                <Icon
                  aria-hidden
                  className={cn(
                    'mt-px size-3.5 shrink-0',
                    kind === 'starts' ? 'text-accent' : 'text-warning',
                  )}
                />
                <span className="min-w-0 break-words">{text}</span>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function NoteField({ value, onChange }: { value: string; onChange: (note: string) => void }) {
  const id = useId()
  return (
    <Field
      id={`${id}-note`}
      label="Note"
      hint="Why you publish this, for readers of the revisions. Enter publishes."
    >
      <Textarea
        id={`${id}-note`}
        aria-describedby={`${id}-note-hint`}
        className="min-h-14"
        autoFocus
        maxLength={MOST_NOTE}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
    </Field>
  )
}

/** Why the server did not take the revision. */
function Refused({ problem }: { problem: ApiProblem }) {
  return (
    <div role="alert" className="text-danger">
      <p className="font-medium">{problem.message}</p>
      <ul>
        {problem.issues.slice(0, MOST_SHOWN).map(({ path, message, hint }) => (
          <li key={`${path.join('.')} ${message}`}>
            {path.length > 0 && <code className="text-xs">{path.join('.')}: </code>}
            {message}
            {hint !== undefined && ` (${hint})`}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Listed({
  of: problems,
  title,
  icon,
  onLead,
}: {
  of: readonly Problem[]
  title: string
  icon: ReactNode
  /** Closes the dialog and leads to the problem. */
  onLead: (problem: Problem) => void
}) {
  if (problems.length === 0) return null
  return (
    <section aria-label={title}>
      <p className="mb-1 font-medium">{title}</p>
      <ul className="flex flex-col gap-1 text-xs">
        {problems.slice(0, MOST_SHOWN).map((problem) => (
          <li key={problem.key}>
            <button
              type="button"
              title="Go to the problem"
              onClick={() => onLead(problem)}
              className="-mx-2 flex w-[calc(100%+1rem)] items-start gap-2 rounded-md px-2 py-1 text-left hover:bg-sunken"
            >
              {icon}
              <span className="min-w-0 break-words">
                <span className="block font-mono text-faint">{problem.where}</span>
                <span className="block">{problem.text}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {problems.length > MOST_SHOWN && (
        <p className="mt-1 text-xs text-faint">and {problems.length - MOST_SHOWN} more</p>
      )}
    </section>
  )
}
