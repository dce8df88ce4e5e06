'use client'

import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Definition, DraftStore } from '@/components/editor/model/draft/draft'
import {
  closeCase,
  openCase,
  openedCase,
  removeCase,
  renameCase,
  saveCase,
} from '@/components/editor/model/rehearsal/case-actions'
import type { Cases } from '@/components/editor/model/rehearsal/cases'
import { createLiveRehearsal, type LiveRehearsal } from '@/components/editor/model/rehearsal/live-rehearsal'
import type { ScenarioStore } from '@/components/editor/model/rehearsal/scenario'
import { isChord } from '@/components/ui/chords'
import { toast } from '@/components/ui/toast'
import { isTyping } from '@/components/ui/typing'
import type { RehearsalCase } from '@/core/rehearsal/case'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import { createWorkerRehearser } from './open-rehearser'
import { useRehearsalAddress } from './use-rehearsal-address'

export type RehearsalProps = {
  readonly pipelineId: string
  readonly definition: Definition
  /** Null: the definition is read only. */
  readonly draft: DraftStore | null
  /** The code cannot be parsed: the definition is the one from before. */
  readonly unreadable?: boolean
  readonly cases: Cases
  readonly scenario: ScenarioStore
}

export type Part = 'scenario' | 'cases'

/** From an edit to its rehearsal, in milliseconds. */
const PAUSE_MS = 120

/** The state of the rehearsal page and what can be done on it. */
export function useRehearsal({ definition, draft, cases: { cases }, scenario }: RehearsalProps) {
  const state = useStore(scenario)
  const live = useLiveRehearsal(definition, state.plan)
  const { address, setAddress } = useRehearsalAddress()
  const [part, setPart] = useState<Part>('scenario')
  /** The case that is being saved: `at` null is a new one. Null: none is. */
  const [saving, setSaving] = useState<{ readonly at: number | null } | null>(null)
  const known = address.node !== null && live.pipeline?.nodes.has(address.node) === true
  useUndoKeys(draft)

  function open(at: number): void {
    const refused = openCase(scenario, cases, at)
    if (refused === null) setAddress({ case: at, node: null })
    else toast({ tone: 'bad', title: 'This case cannot be opened', text: refused })
  }
  const linked = address.case !== null && cases[address.case] !== undefined ? address.case : null
  useLinkedCase(linked, (at) => {
    setPart('cases')
    open(at)
  })

  function close(): void {
    closeCase(scenario)
    setAddress({ case: null })
  }

  function save(saved: RehearsalCase): void {
    if (draft === null || saving === null) return
    const result = saveCase(draft, scenario, saved, saving.at)
    setSaving(null)
    if ('refused' in result)
      return toast({ tone: 'bad', title: 'The case was not saved', text: result.refused })
    setAddress({ case: result.at, node: null })
    setPart('cases')
  }

  return {
    state,
    live,
    address,
    part,
    setPart,
    saving,
    setSaving,
    selected: known ? address.node : null,
    opened: openedCase(state, cases),
    setShape: (as: typeof address.as) => setAddress({ as }),
    select(node: string | null) {
      setAddress({ node })
      if (node !== null) setPart('scenario')
    },
    reset() {
      scenario.setState({ plan: {}, opened: null, durations: null })
      setAddress({ case: null })
    },
    open,
    close,
    save,
    rename(at: number, name: string) {
      const renamed = cases[at]
      if (draft !== null && renamed !== undefined) renameCase(draft, scenario, renamed, { at, name })
    },
    remove(at: number) {
      const removed = cases[at]
      if (draft !== null && removed !== undefined) removeCase(draft, scenario, removed, at)
      setAddress({ case: null })
    },
  }
}

export type RehearsalState = ReturnType<typeof useRehearsal>

/** Opens the case of the address once, when the cases are there. */
function useLinkedCase(linked: number | null, open: (at: number) => void): void {
  const latest = useRef({ done: false, open })
  latest.current.open = open
  useEffect(() => {
    if (latest.current.done || linked === null) return
    latest.current.done = true
    latest.current.open(linked)
  }, [linked])
}

/** Rehearses in a worker while the page is mounted, at once at first and then after each pause. */
function useLiveRehearsal(definition: Definition, plan: RehearsalPlan): LiveRehearsal {
  const [store] = useState(() => createLiveRehearsal(createWorkerRehearser()))
  useEffect(() => store.close, [store])
  const first = useRef(true)
  useEffect(() => {
    const timer = setTimeout(() => store.want(definition, plan), first.current ? 0 : PAUSE_MS)
    first.current = false
    return () => clearTimeout(timer)
  }, [store, definition, plan])
  return useStore(store)
}

/** Undo and redo of the draft by keys, as in the editor. */
function useUndoKeys(draft: DraftStore | null): void {
  useEffect(() => {
    if (draft === null) return
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event.target)) return
      const undo = isChord(event, 'Mod+Z')
      if (!undo && !isChord(event, 'Mod+Shift+Z') && !isChord(event, 'Mod+Y')) return
      event.preventDefault()
      if (undo) draft.undo()
      else draft.redo()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [draft])
}
