'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { api, type Opening } from '@/components/api'
import { browserStorage } from '@/components/ui/browser-storage'
import { createDraftServer, serverDraftOf } from './draft/draft-server'
import { parseInBackground } from './draft/parse-in-background'
import { EditorProvider } from './editor-context'
import { createAutosave, type AutosaveStore } from './model/draft/autosave'
import { createDraft, type DraftStore } from './model/draft/draft'
import { createLocalDraft, readLocalDrafts } from './model/draft/local-draft'
import { createScenario } from './model/rehearsal/scenario'
import { createView } from './model/view'
import { panelLoads } from './panels'
import { SessionContext, type Session } from './session-context'
import { followRenames } from './trial/follow-renames'
import { createTrialStore } from './trial/trial-store'
import { whenIdle } from './when-idle'

/** Idle time before the text is parsed in the background, in milliseconds: the graph is drawn first. */
const PARSE_MS = 100
/** Idle time before the panels are loaded: most people first look at the graph or move something in it. */
const LOAD_MS = 2_000
/** Idle time before each panel. */
const PANEL_MS = 50

/** Opens the draft of a pipeline for all of its tabs. The children are rendered while it opens, too. */
export function EditorSession({ pipelineId, children }: { pipelineId: string; children: ReactNode }) {
  const { data, isFetchedAfterMount } = useQuery(
    api.pipelines.open.queryOptions({ pipeline_id: pipelineId }, { refetchOnMount: 'always' }),
  )
  // The cached answer of an earlier visit is older than what that visit saved.
  const opening = isFetchedAfterMount ? data : undefined
  const latest = useRef(opening)
  useEffect(() => {
    latest.current = opening
  }, [opening])
  const [session, setSession] = useState<Session | null>(null)
  // A session stays open when the pipeline is deleted meanwhile.
  const exists = opening !== undefined && (opening.pipeline !== null || opening.draft !== null)
  const ready = opening !== undefined && opening.may_edit && (exists || session?.pipelineId === pipelineId)
  useEffect(() => {
    if (!ready || latest.current === undefined) return
    const next = openSession(pipelineId, latest.current)
    const stopSaving = startSaving(next.autosave)
    const { draft, trials } = next.stores
    const stopFollowing = followRenames(
      draft,
      trials,
      async () => (await import('./model/trial/cone')).coneOf,
    )
    const closed = new AbortController()
    void finishOpening(next.stores.draft, closed.signal)
    setSession(next)
    return () => {
      closed.abort()
      stopSaving()
      stopFollowing()
      setSession(null)
    }
  }, [pipelineId, ready])
  return (
    <SessionContext value={session}>
      <EditorProvider value={session?.stores ?? null}>{children}</EditorProvider>
    </SessionContext>
  )
}

/** Parses the text and loads the panels while the person is idle. */
async function finishOpening(draft: DraftStore, signal: AbortSignal): Promise<void> {
  await whenIdle(PARSE_MS, signal)
  const { document, text } = draft.getState()
  const parsed = document === null ? await parseInBackground(text, signal) : null
  if (parsed !== null) draft.offerParsed(parsed)
  await whenIdle(LOAD_MS, signal)
  if (parsed !== null) draft.parse()
  for (const load of panelLoads) {
    await whenIdle(PANEL_MS, signal)
    // A panel that cannot be loaded says so when it is opened.
    await load().catch(() => null)
  }
}

/** Saves the draft until the returned function is called, and at every moment that may be the last of the page. */
function startSaving(autosave: AutosaveStore): () => void {
  const stop = autosave.start()
  const listening = new AbortController()
  const { signal } = listening
  const flush = () => void autosave.flush()
  window.addEventListener('blur', flush, { signal })
  window.addEventListener('pagehide', flush, { signal })
  window.addEventListener('online', autosave.retry, { signal })
  // The person may have signed in again in another tab.
  window.addEventListener('focus', autosave.retry, { signal })
  window.addEventListener(
    'beforeunload',
    (event) => {
      if (autosave.wouldLose()) event.preventDefault()
    },
    { signal },
  )
  return () => {
    listening.abort()
    stop()
  }
}

function openSession(pipelineId: string, opening: Opening): Session {
  const { current, draft: found } = serverDraftOf(opening)
  const saved =
    found?.base ??
    (current === null ? { revision: 0, text: '' } : { revision: current.revision, text: current.text })
  const text = found?.text ?? saved.text
  // The definition of a revision comes with its text, so that the graph is drawn before the text is parsed.
  const known = text === opening.pipeline?.yaml ? { ...opening.pipeline.definition } : undefined
  const draft = createDraft(saved, text, () => Date.now(), known)
  const localKey = { storage: browserStorage(), user: opening.caller, pipelineId }
  const copies = readLocalDrafts(localKey)
  const autosave = createAutosave({
    draft,
    server: createDraftServer(pipelineId),
    local: createLocalDraft(localKey, `${Date.now()}-${Math.random()}`),
    known: { version: found?.version ?? 0, text, base: saved.revision },
    wait: (ms, then) => {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
  })
  restoreCopies(copies, draft, autosave)
  return {
    pipelineId,
    stores: { draft, view: createView(), trials: createTrialStore(pipelineId, browserStorage()) },
    autosave,
    scenario: createScenario(),
    found:
      opening.draft === null || found === null || found.text === saved.text
        ? null
        : { at: opening.draft.updated_at, base: found.base.revision },
  }
}

/** Merges the copies that earlier tabs left in this browser, up to the first conflict. A copy is removed once it is merged. */
function restoreCopies(
  copies: ReturnType<typeof readLocalDrafts>,
  draft: DraftStore,
  autosave: AutosaveStore,
): void {
  for (const { copy, remove } of copies) {
    if (copy.text !== draft.getState().text) autosave.restoreLocal(copy)
    if (autosave.getState().conflict !== null) {
      // The copy stays until the person has decided.
      const stop = autosave.subscribe(({ conflict }) => {
        if (conflict !== null) return
        stop()
        remove()
      })
      return
    }
    if (!autosave.wouldLose()) remove()
  }
}
