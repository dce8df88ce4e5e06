'use client'

import { useMemo } from 'react'
import { useCases, useChecks, useDraft } from '@/components/editor/editor-context'
import { problemsOf, type Problem } from '@/components/editor/model/problems/problem-list'

/** Everything that is known to be wrong with the draft, as soon as it is known. */
export function useProblems(): readonly Problem[] {
  const checks = useChecks((state) => state)
  const unreadable = useDraft((draft) => draft.unreadable)
  const cases = useCases((state) => state.cases)
  return useMemo(() => problemsOf(checks, unreadable, cases), [checks, unreadable, cases])
}
