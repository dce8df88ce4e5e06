'use client'

import { createContext, useContext, useEffect, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import type { Draft } from './model/draft/draft'
import type { Checks, ChecksStore } from './model/problems/checks'
import { createCases, type Cases, type CasesStore } from './model/rehearsal/cases'
import type { View } from './model/view'
import { createWorkerChecks } from './problems/open-checker'
import { createWorkerRehearser } from './rehearsal/open-rehearser'
import type { TrialStores } from './trial/trial-store'

const EditorContext = createContext<TrialStores | null>(null)
const ChecksContext = createContext<ChecksStore | null>(null)
const CasesContext = createContext<CasesStore | null>(null)

/**
 * Provides the stores of the editor, null until it is open. While this component is mounted, the draft is checked and its cases are
 * rehearsed.
 */
export function EditorProvider({ value, children }: { value: TrialStores | null; children: ReactNode }) {
  const draft = value?.draft
  const [checks] = useState(createWorkerChecks)
  useEffect(() => (draft === undefined ? undefined : checks.follow(draft)), [checks, draft])
  const [cases] = useState(() => createCases(createWorkerRehearser()))
  useEffect(() => (draft === undefined ? undefined : cases.follow(draft)), [cases, draft])
  return (
    <EditorContext value={value}>
      <ChecksContext value={checks}>
        <CasesContext value={cases}>{children}</CasesContext>
      </ChecksContext>
    </EditorContext>
  )
}

/** The stores of the editor around this component. */
export function useEditor(): TrialStores {
  const stores = useContext(EditorContext)
  if (stores === null) throw new Error('useEditor needs an EditorProvider around it')
  return stores
}

/** A part of the draft; the component renders again only when that part changes. */
export function useDraft<T>(part: (draft: Draft) => T): T {
  return useStore(useEditor().draft, part)
}

/** A part of the view; the component renders again only when that part changes. */
export function useView<T>(part: (view: View) => T): T {
  return useStore(useEditor().view, part)
}

/** The store with what was found in the draft. */
export function useChecksStore(): ChecksStore {
  const checks = useContext(ChecksContext)
  if (checks === null) throw new Error('useChecksStore needs an EditorProvider around it')
  return checks
}

/** A part of what was found in the draft. */
export function useChecks<T>(part: (checks: Checks) => T): T {
  return useStore(useChecksStore(), part)
}

/** A part of the results of the cases of the draft. */
export function useCases<T>(part: (cases: Cases) => T): T {
  const cases = useContext(CasesContext)
  if (cases === null) throw new Error('useCases needs an EditorProvider around it')
  return useStore(cases, part)
}
