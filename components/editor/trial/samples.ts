import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { api, GOOD } from '@/components/api'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import type { Json, JsonObject } from '@/core/engine/event'
import { INPUTS } from './trial-store'

/** Values to try a draft with and to show in its forms, by where they come from: pinned, else of the last try, else of the last run. */

/** A run that has ended, when (ISO 8601), and of which revision it was. */
export type EndedRun = { readonly run: string; readonly at: string; readonly revision: number }

export type Sample = { readonly outputs: JsonObject; readonly from: 'pin' | 'try' | EndedRun }

export type Samples = {
  readonly nodes: ReadonlyMap<string, Sample>
  /** Values of the pipeline's inputs; null: there was no run yet. */
  readonly inputs: JsonObject | null
  /** The run whose values are there where nothing was pinned or tried; null: there was none yet. */
  readonly run: EndedRun | null
}

/** By the names with which expressions read them: `extract.rows`, `pipeline.input.station`. */
export function valuesByName({ nodes, inputs }: Samples): ReadonlyMap<string, Json> {
  const roots: (readonly [string, JsonObject])[] = [...nodes].map(([id, { outputs }]) => [id, outputs])
  return new Map(
    [[INPUTS, inputs ?? {}] as const, ...roots].flatMap(([root, values]) =>
      Object.entries(values).map(([name, value]): [string, Json] => [`${root}.${name}`, value]),
    ),
  )
}

export function useSamples(): Samples {
  const { trials } = useEditor()
  const pins = useStore(trials, (state) => state.pins)
  const tried = useStore(trials, (state) => state.tried)
  const run = useLastRun()
  return useMemo(() => {
    const nodes = new Map<string, Sample>(run?.nodes)
    for (const [id, { outputs, answer }] of tried)
      if (answer.status === 'completed') nodes.set(id, { outputs, from: 'try' })
    for (const [id, { outputs }] of pins) if (id !== INPUTS) nodes.set(id, { outputs, from: 'pin' })
    return { nodes, inputs: pins.get(INPUTS)?.outputs ?? run?.inputs ?? null, run }
  }, [pins, tried, run])
}

type LastRun = EndedRun & { readonly nodes: ReadonlyMap<string, Sample>; readonly inputs: JsonObject }

/** What the latest good run left behind, else the latest that has ended, without mocks; null: none has, or it is not read yet. */
export function useLastRun(): LastRun | null {
  const pipeline = useDraft((draft) => draft.definition['id'])
  const known = typeof pipeline === 'string' && pipeline !== ''
  const of = { pipeline: known ? pipeline : '-', limit: 1 }
  const { data: good } = useQuery(
    api.executions.list.queryOptions({ ...GOOD, ...of }, { enabled: known, staleTime: 15_000 }),
  )
  const { data: ended } = useQuery(
    api.executions.list.queryOptions(
      { ...of, status: ['completed', 'failed'], mocked: false },
      { enabled: good?.items.length === 0, staleTime: 15_000 },
    ),
  )
  const last = good?.items[0] ?? ended?.items[0]
  const { data: variables } = useQuery(
    api.executions.variables.queryOptions(
      { execution_id: last?.execution_id ?? '-' },
      { enabled: last !== undefined, staleTime: Infinity },
    ),
  )
  return useMemo(() => {
    if (last === undefined || variables === undefined) return null
    const from = {
      run: last.execution_id,
      at: last.finished_at ?? last.created_at,
      revision: last.revision,
    }
    const { [INPUTS]: inputs = {}, ...nodes } = byRoot(variables.items)
    return {
      nodes: new Map(Object.entries(nodes).map(([id, outputs]) => [id, { outputs, from }])),
      inputs,
      ...from,
    }
  }, [last, variables])
}

/** `a.rows` and `pipeline.input.x` under what they are variables of. A large value is not read for a sample. */
function byRoot(
  variables: readonly { readonly name: string; readonly value?: Json }[],
): Record<string, JsonObject> {
  const roots = new Map<string, [string, Json][]>()
  for (const { name, value } of variables) {
    const dot = name.startsWith(`${INPUTS}.`) ? INPUTS.length : name.indexOf('.')
    const root = name.slice(0, dot)
    if (value === undefined || root === 'system' || root === 'pipeline') continue
    const values = roots.get(root) ?? []
    if (values.length === 0) roots.set(root, values)
    values.push([name.slice(dot + 1), value])
  }
  return Object.fromEntries([...roots].map(([root, values]) => [root, Object.fromEntries(values)]))
}
