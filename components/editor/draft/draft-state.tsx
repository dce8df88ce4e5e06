'use client'

import { CloudOff, CircleAlert } from 'lucide-react'
import { useDraft } from '@/components/editor/editor-context'
import { useAutosave } from '@/components/editor/session-context'

/** What was just undone or redone, and whether the draft is saved. */
export function DraftState() {
  const message = useDraft((draft) => draft.message)
  const revision = useDraft(({ saved }) => saved.revision)
  const state = useAutosave((autosave) => autosave.state)
  const conflict = useAutosave(({ conflict }) => conflict !== null)
  const since = revision === 0 ? 'not published yet' : `changed since revision ${revision}`
  const done = message === null ? '' : `${message}. `
  if (conflict) return 'Not saved: there is a conflict'
  switch (state.kind) {
    case 'offline':
      return (
        <span className="flex min-w-0 items-center gap-1.5 text-warning">
          <CloudOff aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">
            {state.stored
              ? 'Offline: stored in this browser, saved when the server is back'
              : 'Offline, and this browser has no storage left: export the draft before you leave'}
          </span>
        </span>
      )
    case 'refused':
      return (
        <span className="flex min-w-0 items-center gap-1.5 text-danger">
          <CircleAlert aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate" title={state.message}>
            {state.stored ? 'Only stored in this browser: ' : 'Draft not saved: '}
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
