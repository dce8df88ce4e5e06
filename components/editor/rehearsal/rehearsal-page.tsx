'use client'

import { useEffect, useState } from 'react'
import { createStore, useStore } from 'zustand'
import type { Definition } from '@/components/editor/draft/draft'
import { useCases, useDraft } from '@/components/editor/editor-context'
import { useHome } from '@/components/editor/editor-home'
import { createCases } from './cases'
import { Rehearsal } from './rehearsal'
import { createWorld } from './world'

/** The draft of the pipeline at home here, rehearsed. */
export function DraftRehearsal() {
  const { pipelineId, stores, world } = useHome()
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
      world={world}
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
  const [world] = useState(createWorld)
  const [cases] = useState(() => createCases())
  useEffect(() => cases.follow(createStore(() => ({ definition }))), [cases, definition])
  const known = useStore(cases)
  return (
    <Rehearsal pipelineId={pipelineId} definition={definition} draft={null} cases={known} world={world} />
  )
}
