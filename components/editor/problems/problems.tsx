'use client'

import { ChevronDown, ChevronUp, CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import { useEffect, useMemo, useState, type KeyboardEvent } from 'react'
import { useChecks, useChecksStore, useDraft, useEditor, useView } from '@/components/editor/editor-context'
import { useSession } from '@/components/editor/session-context'
import { useGoTo } from './use-go-to'
import { Button } from '@/components/ui/button'
import { noSingleKeys } from '@/components/ui/chords'
import { cn } from '@/components/ui/class-names'
import { Link } from '@/components/ui/link'
import {
  countOf,
  isUnbegun,
  withFix,
  severities,
  summaryOf,
  type Problem,
  type Severity,
} from '@/components/editor/model/problems/problem-list'

/** Delay in milliseconds before the panel says that it is checking: most checks are done before. */
const SLOW = 300

/** Whether the shown problems are outdated and the check takes long. */
function useWaiting(): boolean {
  const definition = useDraft((draft) => draft.definition)
  const behind = useChecks(({ of }) => of !== definition)
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!behind) return
    const timer = setTimeout(() => setSlow(true), SLOW)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [behind])
  return behind && slow
}

const signs = {
  error: { icon: CircleAlert, name: 'Error', ink: 'text-danger' },
  warning: { icon: TriangleAlert, name: 'Warning', ink: 'text-warning' },
  info: { icon: Info, name: 'Note', ink: 'text-muted' },
}

/** The panel of problems: each leads to its nodes, shows a run in which it happens, and is withFix at once where that is known. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  const [open, setOpen] = useState(true)
  const waiting = useWaiting()
  const none = problems.length === 0
  const onlyEmpty = isUnbegun(problems)
  const Fold = open ? ChevronDown : ChevronUp
  return (
    <section aria-label="Problems of the draft" className="text-xs" {...noSingleKeys}>
      <div className="flex min-h-8 items-center gap-2 px-4">
        {onlyEmpty ? (
          <p className="flex items-center gap-2 text-muted">
            <Info aria-hidden className="size-3.5" /> Nothing to check before the first node
          </p>
        ) : none ? (
          <p className="flex items-center gap-2 text-muted">
            <CircleCheck aria-hidden className="size-3.5 text-completed" /> No problems
          </p>
        ) : (
          <button
            type="button"
            aria-expanded={open}
            className="-mx-2 flex items-center gap-2 rounded-md px-2 py-1 font-medium hover:bg-sunken"
            onClick={() => setOpen(!open)}
          >
            <Fold aria-hidden className="size-3.5" /> {summaryOf(problems)}
          </button>
        )}
        <span role="status" className="ml-auto text-faint">
          {waiting ? 'checking…' : ''}
        </span>
      </div>
      {!none && !onlyEmpty && open && (
        <ul aria-label="Problems" className="max-h-32 overflow-y-auto pb-2 lg:max-h-44" onKeyDown={walk}>
          {severities.map((severity) => {
            const group = problems.filter((one) => one.severity === severity)
            return group.length === 0 ? null : (
              <Group
                key={severity}
                severity={severity}
                problems={group}
                titled={group.length < problems.length}
              />
            )
          })}
        </ul>
      )}
    </section>
  )
}

function Group({
  severity,
  problems,
  titled,
}: {
  severity: Severity
  problems: readonly Problem[]
  /** There are groups of other severities. */
  titled: boolean
}) {
  const title = countOf(severity, problems.length)
  return (
    <li>
      {titled && (
        <p aria-hidden className="px-4 pt-1 pb-0.5 text-[11px] font-medium text-faint">
          {title}
        </p>
      )}
      <ul aria-label={title}>
        {problems.map((problem) => (
          <Line key={problem.key} problem={problem} />
        ))}
      </ul>
    </li>
  )
}

function Line({ problem }: { problem: Problem }) {
  const { severity, where, text, fix, counterExample, rehearsal } = problem
  const { pipelineId } = useSession()
  const { draft, view } = useEditor()
  const checks = useChecksStore()
  const { icon: Icon, name, ink } = signs[severity]
  const example = useMemo(
    () => new Map(counterExample.map(({ node, outcome }) => [node, outcome])),
    [counterExample],
  )
  const shown = useView(({ path }) => path === example)
  // A run that shows what is no problem any more shows nothing.
  useEffect(() => {
    return () => {
      if (view.getState().path === example) view.setState({ path: null })
    }
  }, [view, example])
  const goTo = useGoTo()
  return (
    <li className="flex items-start gap-2 pr-4 hover:bg-sunken">
      <button
        type="button"
        data-problem
        onClick={() => goTo(problem)}
        className="flex min-w-0 flex-1 items-start gap-2 px-4 py-1.5 text-left"
      >
        <Icon aria-label={name} className={cn('mt-px size-3.5 shrink-0', ink)} />
        <span className="flex min-w-0 flex-1 items-start gap-2 max-sm:flex-col max-sm:gap-0.5">
          <span className="max-w-full shrink-0 truncate font-mono text-faint sm:max-w-72">{where}</span>
          <span className="min-w-0 wrap-anywhere">{text}</span>
        </span>
      </button>
      {counterExample.length > 0 && (
        <Button
          size="small"
          tone="quiet"
          aria-pressed={shown}
          aria-label={`Show how: ${text}`}
          onClick={() => view.setState({ path: shown ? null : example })}
        >
          {shown ? 'Hide' : 'Show how'}
        </Button>
      )}
      {rehearsal !== null && (
        <Button asChild size="small" tone="quiet">
          <Link href={`/pipelines/${pipelineId}/rehearse?case=${rehearsal}`} aria-label={`Rehearse: ${text}`}>
            Rehearse
          </Link>
        </Button>
      )}
      {fix !== undefined && (
        <Button
          size="small"
          title={fix.value}
          aria-label={`Fix ${where}: ${fix.value}`}
          onClick={() => {
            const found = checks.getState().of
            if (found !== null) draft.edit(`Fix ${where}`, (definition) => withFix(definition, found, fix))
          }}
        >
          Fix
        </Button>
      )}
    </li>
  )
}

/** The arrows go from problem to problem. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-problem]')]
  const at = lines.findIndex((line) => line.parentElement?.contains(document.activeElement))
  const next = lines[at + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
