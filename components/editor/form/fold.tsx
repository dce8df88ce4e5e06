'use client'

import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { cn } from '@/components/ui/class-names'
import type { Path } from '@/core/pipeline/json-edits'
import { foldMark } from './field-mark'
import { issuesAt, useFormHost } from './form-host'

/** A collapsible part of a form. Collapsed, it shows a summary; it opens by itself when it contains an error. */
export function Fold({
  title,
  summary,
  paths,
  children,
}: {
  title: string
  /** What is set in it, short; null: nothing. */
  summary: string | null
  paths: readonly Path[]
  children: ReactNode
}) {
  const { issues } = useFormHost()
  const wrong = paths.some((path) =>
    issuesAt(issues, path, true).some(({ severity }) => severity === 'error'),
  )
  const [asked, setAsked] = useState<boolean | null>(null)
  const open = asked ?? wrong
  return (
    <details open={open} {...foldMark(paths)} className="border-t border-line">
      <summary
        onClick={(event) => {
          // Before the browser's toggle event, because the next key may be Tab into the content.
          event.preventDefault()
          setAsked(!open)
        }}
        className="flex min-h-10 list-none items-center gap-2 px-4 -outline-offset-2 hover:bg-sunken [&::-webkit-details-marker]:hidden"
      >
        <ChevronRight
          aria-hidden
          className={cn(
            'size-3.5 shrink-0 text-faint transition-transform duration-150',
            open && 'rotate-90',
          )}
        />
        <span className="shrink-0 text-sm font-medium">{title}</span>
        <span className={cn('ml-auto min-w-0 truncate text-xs', wrong ? 'text-danger' : 'text-faint')}>
          {wrong ? 'has an error' : !open && summary}
        </span>
      </summary>
      {open && <div className="flex flex-col gap-4 px-4 pt-1 pb-4">{children}</div>}
    </details>
  )
}
