'use client'

import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { Draft, DraftStore } from './draft'

const DraftContext = createContext<DraftStore | null>(null)

export const DraftProvider = DraftContext

/** The draft that the editor around this component works on. */
export function useDraftStore(): DraftStore {
  const store = useContext(DraftContext)
  if (store === null) throw new Error('useDraftStore belongs below a DraftProvider')
  return store
}

/** A part of the draft; whoever reads a part is drawn again only when that part changes. */
export function useDraft<T>(part: (draft: Draft) => T): T {
  return useStore(useDraftStore(), part)
}
