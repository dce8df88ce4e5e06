'use client'

import { CircleAlert, ChevronRight, Sparkles, TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from '@/components/ui/link'
import { StatusIcon } from '@/components/ui/status'
import { endOf } from './end-of'
import type { LiveRehearsal } from '@/components/editor/model/rehearsal/live-rehearsal'
import { issueText } from '@/components/editor/model/rehearsal/issue-text'
import { summarizeRehearsal } from '@/components/editor/model/rehearsal/rehearsal-summary'

/** The outcome of the rehearsal: one sentence, then the causes and the made-up values. */
export function Outcome({
  shown,
  trouble,
  issues,
  busy,
  codeAt,
}: LiveRehearsal & {
  /** The address of the code while it cannot be parsed; null: it can. */
  codeAt: string | null
}) {
  const summary = useMemo(() => (shown === null ? null : summarizeRehearsal(shown)), [shown])
  const [first] = issues
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  const wrong =
    trouble ?? (first === undefined ? null : `This scenario is not possible: ${issueText(first)}${more}`)
  return (
    <section
      aria-label="Outcome"
      className="border-b border-line bg-surface px-4 py-2.5 max-lg:sticky max-lg:top-0 max-lg:z-20"
    >
      <div role="status" aria-live="polite" className="flex items-start gap-2">
        {wrong !== null ? (
          <>
            <CircleAlert aria-hidden className="mt-1 size-4 shrink-0 text-danger" />
            <p className="min-w-0 text-base font-semibold break-words">{wrong}</p>
          </>
        ) : summary !== null && shown !== null ? (
          <>
            {summary.invented.length > 0 ? (
              <Sparkles aria-hidden className="mt-1 size-4 shrink-0 text-warning" />
            ) : (
              <StatusIcon status={endOf(shown)} className="mt-1 size-4" />
            )}
            <p className="min-w-0 text-base font-semibold break-words">
              {summary.invented.length > 0 && <span className="text-warning">With made-up values: </span>}
              {summary.headline}
            </p>
          </>
        ) : (
          <p className="text-base text-muted">Rehearsing…</p>
        )}
        <span aria-hidden className="ml-auto shrink-0 pt-0.5 text-xs text-faint">
          {busy ? 'rehearsing…' : ''}
        </span>
      </div>
      {codeAt !== null && (
        <p role="status" className="mt-1 flex items-start gap-1.5 pl-6 text-xs">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warning" />
          <span>
            The{' '}
            <Link href={codeAt} className="font-medium underline underline-offset-2">
              code
            </Link>{' '}
            cannot be read. This rehearses what it said before.
          </span>
        </p>
      )}
      {summary !== null && wrong === null && (
        <>
          {summary.lines.length > 0 && (
            <ul
              aria-label="What happens"
              tabIndex={0}
              className="mt-1 max-h-24 overflow-y-auto pl-6 text-muted"
            >
              {summary.lines.map((line, at) => (
                <li key={at} className="break-words">
                  {line}
                </li>
              ))}
            </ul>
          )}
          {summary.invented.length > 0 && (
            <details className="group mt-1 pl-6 text-xs text-muted">
              <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-sm hover:text-ink [&::-webkit-details-marker]:hidden">
                <Sparkles aria-hidden className="size-3.5 text-warning" />
                Which values are made up
                <ChevronRight
                  aria-hidden
                  className="size-3 transition-transform duration-150 group-open:rotate-90"
                />
              </summary>
              <p className="mt-1 break-words">
                These values are not known before a run: {summary.invented.join('; ')}. Set the outputs of
                their nodes to use your own.
              </p>
            </details>
          )}
        </>
      )}
    </section>
  )
}
