import { z } from 'zod'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ApiProblem, TrialAnswer } from '@/components/api'
import type { JsonObject } from '@/core/engine/event'
import type { EditorStores } from '@/components/editor/model/stores'
import type { Cone } from '@/components/editor/model/trial/cone'

/**
 * The outputs of nodes that were tried, and the outputs that were pinned instead: the sample data for the next trial. Pins belong to the
 * person and this browser; neither is part of the draft, and neither can be undone.
 */

export type SampleData = {
  /** What other nodes read, by name. A node with `forEach` has lists, as in a run. */
  readonly outputs: JsonObject
  /** When they were made, as ISO 8601. */
  readonly at: string
  /** What the outputs depended on at that time. */
  readonly cone: Cone
  /** Executions whose artifacts the outputs name. */
  readonly executions: readonly string[]
}

export type Tried = SampleData & { readonly answer: TrialAnswer }

/** The key of the pinned inputs of the pipeline. No node can have this id. */
export const INPUTS = 'pipeline.input'

/** What can be done with the node whose form is open. */
export type TrialActions = { start(): void; pin(): void }

/** The stores of the editor, with those of trials, which no edit of a draft needs. */
export type TrialStores = EditorStores & { readonly trials: TrialStore }

export type Trials = {
  readonly pins: ReadonlyMap<string, SampleData>
  /** The last trial of each node in this session. */
  readonly tried: ReadonlyMap<string, Tried>
  readonly running: { readonly node: string; readonly stop: () => void } | null
  /** Null: no form of a node is open. */
  readonly actions: TrialActions | null
  /** Why the last trial was refused. */
  readonly problem: { readonly node: string; readonly problem: ApiProblem } | null
}

export type TrialStore = StoreApi<Trials> & {
  /** Null, or why it was not pinned, as a sentence. */
  pin(node: string, data: SampleData): string | null
  unpin(node: string): void
  unpinAll(): void
  record(node: string, tried: Tried): void
  /** Gives all data other ids and contents. */
  move(
    idOf: (node: string) => string,
    moved: <Data extends SampleData>(node: string, data: Data) => Data,
  ): void
}

export type PinStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Most characters of all pins of one pipeline in storage. */
const MOST = 2_000_000

const storedPins = z.object({
  version: z.literal(1),
  pins: z.array(
    z.tuple([
      z.string().max(200),
      z.object({
        outputs: z.record(z.string(), z.json()),
        at: z.iso.datetime(),
        cone: z.array(z.tuple([z.string(), z.string()])),
        executions: z.array(z.string()),
      }),
    ]),
  ),
})

/** @param storage where pins are stored; null: they end with the page */
export function createTrialStore(pipelineId: string, storage: PinStorage | null): TrialStore {
  const key = `penstock.pins.${pipelineId}`
  const store = createStore<Trials>(() => ({
    pins: read(storage, key),
    tried: new Map(),
    running: null,
    actions: null,
    problem: null,
  }))

  /** Changes the stored pins, not those in memory: another tab may have pinned meanwhile. */
  function change(edit: (pins: Map<string, SampleData>) => void): string | null {
    const pins = new Map(storage === null ? store.getState().pins : read(storage, key))
    edit(pins)
    const text = write(pins)
    if (text.length > MOST)
      return 'The pinned data of this pipeline would be larger than 2 MB. Pin fewer rows, or clear other pins.'
    try {
      if (pins.size === 0) storage?.removeItem(key)
      else storage?.setItem(key, text)
    } catch {
      return 'This browser has no storage left for pinned data. Clear the pins of a pipeline.'
    }
    store.setState({ pins })
    return null
  }

  return Object.assign(store, {
    pin: (node: string, data: SampleData) => change((pins) => pins.set(node, data)),
    unpin: (node: string) => void change((pins) => pins.delete(node)),
    unpinAll: () => void change((pins) => pins.clear()),
    move(idOf: (node: string) => string, moved: <Data extends SampleData>(node: string, data: Data) => Data) {
      const all = <Data extends SampleData>(of: ReadonlyMap<string, Data>) =>
        [...of].map(([node, data]) => [idOf(node), moved(node, data)] as const)
      store.setState(({ tried }) => ({ tried: new Map(all(tried)) }))
      change((pins) => {
        const next = all(pins)
        pins.clear()
        for (const [node, data] of next) pins.set(node, data)
      })
    },
    record: (node: string, tried: Tried) =>
      store.setState((before) => ({ tried: new Map(before.tried).set(node, tried) })),
  })
}

function write(pins: ReadonlyMap<string, SampleData>): string {
  return JSON.stringify({
    version: 1,
    pins: [...pins].map(([node, data]) => [node, { ...data, cone: [...data.cone] }]),
  })
}

/** Reads the stored pins; none where the entry cannot be read, for instance because another version wrote it. */
function read(storage: PinStorage | null, key: string): ReadonlyMap<string, SampleData> {
  try {
    const text = storage?.getItem(key) ?? null
    if (text === null || text.length > MOST) return new Map()
    const { pins } = storedPins.parse(JSON.parse(text))
    return new Map(pins.map(([node, data]) => [node, { ...data, cone: new Map(data.cone) }]))
  } catch {
    return new Map()
  }
}
