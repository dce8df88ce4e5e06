'use client'

import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { cn } from '@/components/ui/class-names'
import type { Path } from '@/core/pipeline/json-edits'
import { issuesAt, useFormHost } from './form-host'

/** A part of a form that is folded away; folded it says what is set in it. Where something in it is wrong it stands open. */
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
    <details open={open} className="border-t border-line">
      <summary
        onClick={(event) => {
          // At once, and not when the browser tells of it: the next key may be Tab, which leads into it.
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
          {wrong ? 'something is wrong here' : !open && summary}
        </span>
      </summary>
      {open && <div className="flex flex-col gap-4 px-4 pt-1 pb-4">{children}</div>}
    </details>
  )
}
