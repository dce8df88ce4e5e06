'use client'

import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { api, type Opening } from '@/components/api'
import { browserStorage } from '@/components/ui/browser-storage'
import { atRest } from './at-rest'
import { createDraft, type DraftStore } from './draft/draft'
import { createDraftLine, foundIn } from './draft/draft-line'
import { EditorProvider, type Workbench } from './editor-context'
import { createKeeping, type KeepingState, type KeepingStore } from './draft/keeping'
import { readAside } from './draft/read-aside'
import { createShelf, leftBehind } from './draft/kept'
import { createWorld, type WorldStore } from './rehearsal/world'
import { createTrialStore } from './trial/trial-store'
import { panelLoads } from './panels'
import { createView } from './view'

/** What the editor of a pipeline works on, as long as one stays at the pipeline, whichever of its tabs is looked at. */
export type Home = {
  readonly pipelineId: string
  readonly stores: Workbench
  readonly keeping: KeepingStore
  /** In which the draft is rehearsed. */
  readonly world: WorldStore
  /** When the draft that was found was last changed, and the revision that it began from; null: there was none. */
  readonly found: { readonly at: string; readonly base: number } | null
}

/** How long hands rest before the text is read aside, in milliseconds: the graph comes first. */
const READ_MS = 100
/** And before the rest is loaded: most people look at the graph, or take hold of something in it. */
const REST_MS = 2_000
/** And before each piece of that. */
const PIECE_MS = 50

const HomeContext = createContext<Home | null>(null)

/** The home of the editor around this component; null for those who may not edit, and until it is opened. */
export const useMaybeHome = (): Home | null => useContext(HomeContext)

export function useHome(): Home {
  const home = useMaybeHome()
  if (home === null) throw new Error('useHome belongs below an EditorHome that is open')
  return home
}

export function useKeeping<T>(part: (state: KeepingState) => T): T {
  return useStore(useHome().keeping, part)
}

/** Opens the draft of a pipeline for all of its tabs; its children stand there before and after. */
export function EditorHome({ pipelineId, children }: { pipelineId: string; children: ReactNode }) {
  const { data, isFetchedAfterMount } = useQuery(
    api.pipelines.open.queryOptions({ pipeline_id: pipelineId }, { refetchOnMount: 'always' }),
  )
  // What an earlier visit has left in the cache is older than what that visit saved.
  const opening = isFetchedAfterMount ? data : undefined
  const latest = useRef(opening)
  useEffect(() => {
    latest.current = opening
  }, [opening])
  const [home, setHome] = useState<Home | null>(null)
  // A pipeline that is deleted while somebody edits it takes nothing away from them.
  const isThere = opening !== undefined && (opening.pipeline !== null || opening.draft !== null)
  const ready = opening !== undefined && opening.may_edit && (isThere || home?.pipelineId === pipelineId)
  useEffect(() => {
    if (!ready || latest.current === undefined) return
    const next = openHome(pipelineId, latest.current)
    const leave = watch(next.keeping)
    const left = new AbortController()
    void finishOpening(next.stores.draft, left.signal)
    setHome(next)
    return () => {
      left.abort()
      leave()
      setHome(null)
    }
  }, [pipelineId, ready])
  return (
    <HomeContext value={home}>
      <EditorProvider value={home?.stores ?? null}>{children}</EditorProvider>
    </HomeContext>
  )
}

/** Reads the text and loads the panels, when nobody is at work. */
async function finishOpening(draft: DraftStore, signal: AbortSignal): Promise<void> {
  await atRest(READ_MS, signal)
  const { document, text } = draft.getState()
  const answer = document === null ? await readAside(text, signal) : null
  if (answer !== null) draft.wasRead(answer)
  await atRest(REST_MS, signal)
  if (answer !== null) draft.settle()
  for (const load of panelLoads) {
    await atRest(PIECE_MS, signal)
    // Whoever opens one that could not be loaded is told.
    await load().catch(() => null)
  }
}

/** Keeps the draft as long as the page is there, and at each moment that may be its last. */
function watch(keeping: KeepingStore): () => void {
  const stop = keeping.start()
  const listening = new AbortController()
  const { signal } = listening
  const flush = () => void keeping.flush()
  window.addEventListener('blur', flush, { signal })
  window.addEventListener('pagehide', flush, { signal })
  window.addEventListener('online', keeping.retry, { signal })
  // Whoever comes back may have signed in again meanwhile.
  window.addEventListener('focus', keeping.retry, { signal })
  window.addEventListener(
    'beforeunload',
    (event) => {
      if (keeping.wouldLose()) event.preventDefault()
    },
    { signal },
  )
  return () => {
    listening.abort()
    stop()
  }
}

function openHome(pipelineId: string, opening: Opening): Home {
  const { current, draft: found } = foundIn(opening)
  const saved =
    found?.base ??
    (current === null ? { revision: 0, text: '' } : { revision: current.revision, text: current.text })
  const text = found?.text ?? saved.text
  // What the text of a revision says comes with it: the graph is drawn before the text is read.
  const says = text === opening.pipeline?.yaml ? { ...opening.pipeline.definition } : undefined
  const draft = createDraft(saved, text, () => Date.now(), says)
  const place = { storage: browserStorage(), user: opening.caller, pipelineId }
  const left = leftBehind(place)
  const keeping = createKeeping({
    draft,
    line: createDraftLine(pipelineId),
    shelf: createShelf(place, `${Date.now()}-${Math.random()}`),
    known: { version: found?.version ?? 0, text, base: saved.revision },
    wait: (ms, then) => {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
  })
  for (const { kept, forget } of left) {
    if (kept.text !== draft.getState().text) keeping.bringBack(kept)
    if (keeping.getState().conflict !== null) {
      // It stays where it lies until somebody has decided.
      const solved = keeping.subscribe(({ conflict }) => {
        if (conflict !== null) return
        solved()
        forget()
      })
      break
    }
    if (!keeping.wouldLose()) forget()
  }
  return {
    pipelineId,
    stores: { draft, view: createView(), trials: createTrialStore(pipelineId, browserStorage()) },
    keeping,
    world: createWorld(),
    found:
      opening.draft === null || found === null || found.text === saved.text
        ? null
        : { at: opening.draft.updated_at, base: found.base.revision },
  }
}
