'use client'

import { CloudOff, CircleAlert } from 'lucide-react'
import { useDraft } from '@/components/editor/editor-context'
import { useKeeping } from '@/components/editor/editor-home'

/** How the draft stands, in words: what was just done, or whether it is safe. */
export function DraftState() {
  const told = useDraft((draft) => draft.told)
  const revision = useDraft(({ saved }) => saved.revision)
  const state = useKeeping((keeping) => keeping.state)
  const asked = useKeeping((keeping) => keeping.conflict !== null)
  const since = revision === 0 ? 'not published yet' : `changed since revision ${revision}`
  const done = told === null ? '' : `${told}. `
  if (asked) return 'Not saved: both changed the same'
  switch (state.kind) {
    case 'offline':
      return (
        <span className="flex min-w-0 items-center gap-1.5 text-warning">
          <CloudOff aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">
            {state.kept
              ? 'Offline: kept in this browser, saved when the line is back'
              : 'Offline, and this browser has no room: export the draft before you leave'}
          </span>
        </span>
      )
    case 'refused':
      return (
        <span className="flex min-w-0 items-center gap-1.5 text-danger">
          <CircleAlert aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate" title={state.message}>
            {state.kept ? 'Only kept in this browser: ' : 'Draft not saved: '}
            {state.message}
          </span>
        </span>
      )
    case 'same':
      return `${done}${revision === 0 ? 'Not published yet' : `Revision ${revision}`}`
    case 'waiting':
    case 'saving':
      return `${done}Saving… · ${since}`
    case 'saved':
      return `${done}Draft saved · ${since}`
  }
}
