'use client'

import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { Autosave, AutosaveStore } from './model/draft/autosave'
import type { ScenarioStore } from './model/rehearsal/scenario'
import type { TrialStores } from './trial/trial-store'

/** The open editor of one pipeline. All tabs of the pipeline share it, and it ends when the person leaves the pipeline. */
export type Session = {
  readonly pipelineId: string
  readonly stores: TrialStores
  readonly autosave: AutosaveStore
  /** By which the draft is rehearsed. */
  readonly scenario: ScenarioStore
  /** When the draft that was found was last changed, and the revision that it began from; null: there was none. */
  readonly found: { readonly at: string; readonly base: number } | null
}

export const SessionContext = createContext<Session | null>(null)

/** The session around this component; null without the right to edit, and until it is open. */
export const useOptionalSession = (): Session | null => useContext(SessionContext)

/** The session around this component, which must be open. */
export function useSession(): Session {
  const session = useOptionalSession()
  if (session === null) throw new Error('useSession needs an open EditorSession around it')
  return session
}

/** A part of the autosave; the component renders again only when that part changes. */
export function useAutosave<T>(part: (state: Autosave) => T): T {
  return useStore(useSession().autosave, part)
}
