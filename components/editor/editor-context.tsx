'use client'

import { createContext, useContext, useEffect, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { createCases, type Cases, type CasesStore } from './rehearsal/cases'
import { createChecks, type Checks, type ChecksStore } from './problems/checks'
import type { Draft, DraftStore } from './draft/draft'
import type { TrialStore } from './trial/trial-store'
import type { View, ViewStore } from './view'

export type EditorStores = { readonly draft: DraftStore; readonly view: ViewStore }

/** With what belongs to trying nodes, which no change of a draft needs. */
export type Workbench = EditorStores & { readonly trials: TrialStore }

const EditorContext = createContext<Workbench | null>(null)
const ChecksContext = createContext<ChecksStore | null>(null)
const CasesContext = createContext<CasesStore | null>(null)

/** What an editor works on, null until it is open; its draft is examined, and its cases rehearsed, as long as it is there. */
export function EditorProvider({ value, children }: { value: Workbench | null; children: ReactNode }) {
  const draft = value?.draft
  const [checks] = useState(createChecks)
  useEffect(() => (draft === undefined ? undefined : checks.follow(draft)), [checks, draft])
  const [cases] = useState(() => createCases())
  useEffect(() => (draft === undefined ? undefined : cases.follow(draft)), [cases, draft])
  return (
    <EditorContext value={value}>
      <ChecksContext value={checks}>
        <CasesContext value={cases}>{children}</CasesContext>
      </ChecksContext>
    </EditorContext>
  )
}

/** The stores that the editor around this component works on. */
export function useEditor(): Workbench {
  const stores = useContext(EditorContext)
  if (stores === null) throw new Error('useEditor belongs below an EditorProvider')
  return stores
}

/** A part of the draft; whoever reads a part is drawn again only when that part changes. */
export function useDraft<T>(part: (draft: Draft) => T): T {
  return useStore(useEditor().draft, part)
}

/** A part of what is looked at. */
export function useView<T>(part: (view: View) => T): T {
  return useStore(useEditor().view, part)
}

/** Where the draft is examined. */
export function useChecksStore(): ChecksStore {
  const checks = useContext(ChecksContext)
  if (checks === null) throw new Error('useChecksStore belongs below an EditorProvider')
  return checks
}

/** A part of what was found. */
export function useChecks<T>(part: (checks: Checks) => T): T {
  return useStore(useChecksStore(), part)
}

/** A part of what is known of the cases that the draft keeps. */
export function useCases<T>(part: (cases: Cases) => T): T {
  const cases = useContext(CasesContext)
  if (cases === null) throw new Error('useCases belongs below an EditorProvider')
  return useStore(cases, part)
}
