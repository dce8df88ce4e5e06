'use client'

import { useMemo } from 'react'
import { useCases, useChecks, useDraft } from '@/components/editor/editor-context'
import { problemsOf, type Problem } from '@/components/editor/model/problems/problem-list'
import { useSession } from '@/components/editor/session-context'
import { useAbsent } from './use-absent'

/** Everything that is known to be wrong with the draft, as soon as it is known. */
export function useProblems(): readonly Problem[] {
  const checks = useChecks((state) => state)
  const unreadable = useDraft((draft) => draft.unreadable)
  const cases = useCases((state) => state.cases)
  const { pipelineId } = useSession()
  const absent = useAbsent()
  return useMemo(
    () => problemsOf(checks, unreadable, { pipelineId, absent, cases }),
    [checks, unreadable, pipelineId, absent, cases],
  )
}
