'use client'

import { useEffect, useState } from 'react'
import { createStore, useStore } from 'zustand'
import type { Definition } from '@/components/editor/model/draft/draft'
import { useCases, useDraft } from '@/components/editor/editor-context'
import { useSession } from '@/components/editor/session-context'
import { createCases } from '@/components/editor/model/rehearsal/cases'
import { createWorkerRehearser } from './open-rehearser'
import { Rehearsal } from './rehearsal'
import { createScenario } from '@/components/editor/model/rehearsal/scenario'

/** The rehearsal of the open draft. */
export function DraftRehearsal() {
  const { pipelineId, stores, scenario } = useSession()
  const definition = useDraft((draft) => draft.definition)
  const unreadable = useDraft((draft) => draft.unreadable.length > 0)
  const cases = useCases((state) => state)
  return (
    <Rehearsal
      pipelineId={pipelineId}
      definition={definition}
      draft={stores.draft}
      unreadable={unreadable}
      cases={cases}
      scenario={scenario}
    />
  )
}

/** A revision, rehearsed: for those who may not edit, and of earlier ones. */
export function RevisionRehearsal({
  pipelineId,
  definition,
}: {
  pipelineId: string
  definition: Definition
}) {
  const [scenario] = useState(createScenario)
  const [cases] = useState(() => createCases(createWorkerRehearser()))
  useEffect(() => cases.follow(createStore(() => ({ definition }))), [cases, definition])
  const known = useStore(cases)
  return (
    <Rehearsal
      pipelineId={pipelineId}
      definition={definition}
      draft={null}
      cases={known}
      scenario={scenario}
    />
  )
}
