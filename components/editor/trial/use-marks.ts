import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useDraft, useEditor, useView } from '@/components/editor/editor-context'
import { freshNode } from '@/components/editor/model/view'
import { isToDo } from '@/components/editor/model/problems/problem-list'
import { useProblems } from '@/components/editor/problems/use-problems'
import type { staleness } from '@/components/editor/model/trial/staleness'
import { INPUTS, type SampleData } from './trial-store'

/** What a card shows about the sample data of its node. */
export type Mark = {
  readonly pinned: boolean
  /** Why the data is stale; null: it is not. */
  readonly stale: string | null
}

/** The marks of all nodes with pinned or tried data. The same map as long as they are equal. */
export function useMarks(): ReadonlyMap<string, Mark> {
  const { trials } = useEditor()
  const definition = useDeferredValue(useDraft((draft) => draft.definition))
  const pins = useStore(trials, (state) => state.pins)
  const tried = useStore(trials, (state) => state.tried)
  const judge = useJudge(pins.size + tried.size > 0)
  const last = useRef<ReadonlyMap<string, Mark>>(new Map())
  const marks = useMemo(() => {
    const marks = new Map<string, Mark>()
    const mark = (id: string, data: SampleData, pinned: boolean) =>
      marks.set(id, { pinned, stale: judge?.(definition, id, data, pinned ? 'pinned' : 'tried') ?? null })
    for (const [id, data] of tried) mark(id, data, false)
    for (const [id, data] of pins) if (id !== INPUTS) mark(id, data, true)
    return marks
  }, [definition, pins, tried, judge])
  if (!sameMarks(last.current, marks)) last.current = marks
  return last.current
}

/** Finds stale data. It needs the parser of nodes, and is loaded only when there is data. Null: not loaded yet. */
function useJudge(wanted: boolean): typeof staleness | null {
  const [judge, setJudge] = useState<{ readonly of: typeof staleness } | null>(null)
  useEffect(() => {
    if (wanted)
      import('@/components/editor/model/trial/staleness').then(
        ({ staleness }) => setJudge({ of: staleness }),
        // Without it no data is marked as stale. The panel of the node needs it too, and reports the failure.
        () => null,
      )
  }, [wanted])
  return judge?.of ?? null
}

const sameMarks = (a: ReadonlyMap<string, Mark>, b: ReadonlyMap<string, Mark>): boolean =>
  a.size === b.size &&
  [...a].every(([id, { pinned, stale }]) => {
    const other = b.get(id)
    return other !== undefined && other.pinned === pinned && other.stale === stale
  })

/** The first error of each node that has one; the same map as long as they are the same. */
export function useFaults(): ReadonlyMap<string, string> {
  const problems = useProblems()
  const fresh = useView(freshNode)
  const last = useRef<ReadonlyMap<string, string>>(new Map())
  const faults = useMemo(() => {
    const faults = new Map<string, string>()
    for (const problem of problems) {
      const { severity, nodes, text } = problem
      if (severity !== 'error' || isToDo(problem, fresh)) continue
      for (const node of nodes) if (!faults.has(node)) faults.set(node, text)
    }
    return faults
  }, [problems, fresh])
  if (!sameFaults(last.current, faults)) last.current = faults
  return last.current
}

const sameFaults = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([id, text]) => b.get(id) === text)
