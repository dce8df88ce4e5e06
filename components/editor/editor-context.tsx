'use client'

import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { Draft, DraftStore } from './draft'
import type { TrialStore } from './trial-store'
import type { View, ViewStore } from './view'

export type EditorStores = { readonly draft: DraftStore; readonly view: ViewStore }

/** With what belongs to trying nodes, which no change of a draft needs. */
export type Workbench = EditorStores & { readonly trials: TrialStore }

const EditorContext = createContext<Workbench | null>(null)

export const EditorProvider = EditorContext

/** The stores that the editor around this component works on. */
export function useEditor(): Workbench {
  const stores = useContext(EditorContext)
  if (stores === null) throw new Error('useEditor belongs below an EditorProvider')
  return stores
}

export const useDraftStore = (): DraftStore => useEditor().draft

/** A part of the draft; whoever reads a part is drawn again only when that part changes. */
export function useDraft<T>(part: (draft: Draft) => T): T {
  return useStore(useEditor().draft, part)
}

/** A part of what is looked at. */
export function useView<T>(part: (view: View) => T): T {
  return useStore(useEditor().view, part)
}
