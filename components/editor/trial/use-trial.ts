import { useDeferredValue, useMemo } from 'react'
import { useStore } from 'zustand'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import { nodesOf, type NodeFields } from '@/components/editor/model/flow'
import { readsOf } from '@/components/editor/model/trial/cone'
import { useLastRun, useSamples, type EndedRun } from './samples'
import { obstacleOf, prepare, tryNode } from './trial'
import { INPUTS } from './trial-store'
import { useMarks } from './use-marks'

/** A node that is read, or the inputs of the pipeline, and where its sample comes from; null: there is none. */
export type Read = {
  readonly root: string
  readonly from: 'pin' | 'try' | 'default' | EndedRun | null
  /** Why its data is stale; null: it is not. */
  readonly stale: string | null
}

/** All that can be said of trying a node now: over what, with what input, and what came of the last try. */
export function useTrial(node: NodeFields, item: number) {
  const stores = useEditor()
  const { id } = node
  const definition = useDraft((draft) => draft.definition)
  const samples = useSamples()
  const lastRun = useLastRun()
  const pins = useStore(stores.trials, (state) => state.pins)
  const tried = useStore(stores.trials, (state) => state.tried)
  const running = useStore(stores.trials, (state) => state.running)
  const problem = useStore(stores.trials, (state) => state.problem)

  // Rendered behind the typing: a sample may be large.
  const now = useDeferredValue(useMemo(() => ({ definition, node, samples }), [definition, node, samples]))
  const prepared = useMemo(() => prepare(now.definition, now.node, now.samples, item), [now, item])
  const marks = useMarks()
  const reads = useMemo((): readonly Read[] => {
    const known = new Set(nodesOf(definition).map((one) => one.id))
    const { nodes, inputs } = readsOf(node)
    const ofInputs: Read['from'] = pins.has(INPUTS) ? 'pin' : (lastRun ?? 'default')
    return [
      ...(inputs.length === 0 ? [] : [{ root: INPUTS, from: ofInputs, stale: null }]),
      ...nodes
        .filter((root) => known.has(root))
        .map((root) => {
          const from = samples.nodes.get(root)?.from ?? null
          // What a run left behind is as old as it says.
          const stale = typeof from === 'string' ? (marks.get(root)?.stale ?? null) : null
          return { root, from, stale }
        }),
    ]
  }, [definition, node, samples, marks, pins, lastRun])

  const missing = reads.flatMap(({ root, from }) => (from === null ? [root] : []))

  return {
    prepared,
    /** Why it cannot be tried now; null: it can. */
    obstacle: obstacleOf(prepared, missing),
    reads,
    pins,
    pinned: pins.get(id) ?? null,
    tried,
    lastRun,
    samples,
    /** This node, or another one, is being tried. */
    running: running === null ? null : running.node === id ? ('this' as const) : ('another' as const),
    problem: problem?.node === id ? problem.problem : null,
    start: () => void tryNode(stores, id, samples, item),
    stop: () => stores.trials.getState().running?.stop(),
  }
}
