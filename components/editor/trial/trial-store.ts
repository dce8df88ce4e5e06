import { z } from 'zod'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ApiProblem, TrialAnswer } from '@/components/api'
import type { JsonObject } from '@/core/engine/event'
import type { Cone } from './cone'

/**
 * What nodes gave when they were tried, and what was pinned in place of it: the data over which a draft is tried. Pins belong to the
 * person and this browser; neither is part of the draft, and neither is undone.
 */

export type Kept = {
  /** What other nodes read of it; of a forEach lists, as a run leaves them. */
  readonly outputs: JsonObject
  /** ISO 8601. */
  readonly at: string
  /** What the outputs depended on then. */
  readonly cone: Cone
  /** Executions whose artifacts the outputs name. */
  readonly executions: readonly string[]
}

export type Tried = Kept & { readonly answer: TrialAnswer }

/** The pin of the pipeline's inputs, which no node can be called like. */
export const INPUTS = 'pipeline.input'

export type Bench = { start(): void; pin(): void }

export type Trials = {
  readonly pins: ReadonlyMap<string, Kept>
  /** The last try of each node, while this editor is open. */
  readonly tried: ReadonlyMap<string, Tried>
  readonly running: { readonly node: string; readonly stop: () => void } | null
  /** What can be done with the node whose form is open. */
  readonly bench: Bench | null
  /** Why the last try was refused. */
  readonly problem: { readonly node: string; readonly problem: ApiProblem } | null
}

export type TrialStore = StoreApi<Trials> & {
  /** Null, or why it was not pinned, in words for people. */
  pin(node: string, kept: Kept): string | null
  unpin(node: string): void
  unpinAll(): void
  keep(node: string, tried: Tried): void
}

export type PinStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Characters of all pins of one pipeline, as they are stored. */
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

/** @param storage where pins outlive the page; null: nowhere */
export function createTrialStore(pipelineId: string, storage: PinStorage | null): TrialStore {
  const key = `penstock.pins.${pipelineId}`
  const store = createStore<Trials>(() => ({
    pins: read(storage, key),
    tried: new Map(),
    running: null,
    bench: null,
    problem: null,
  }))

  /** Changes what is stored now: another tab may have pinned meanwhile. */
  function change(edit: (pins: Map<string, Kept>) => void): string | null {
    const pins = new Map(storage === null ? store.getState().pins : read(storage, key))
    edit(pins)
    const text = write(pins)
    if (text.length > MOST)
      return 'The pinned data of this pipeline would be larger than 2 MB. Pin fewer rows, or clear other pins.'
    try {
      if (pins.size === 0) storage?.removeItem(key)
      else storage?.setItem(key, text)
    } catch {
      return 'This browser has no more room for pinned data. Clear the pins of a pipeline.'
    }
    store.setState({ pins })
    return null
  }

  return Object.assign(store, {
    pin: (node: string, kept: Kept) => change((pins) => pins.set(node, kept)),
    unpin: (node: string) => void change((pins) => pins.delete(node)),
    unpinAll: () => void change((pins) => pins.clear()),
    keep: (node: string, tried: Tried) =>
      store.setState((before) => ({ tried: new Map(before.tried).set(node, tried) })),
  })
}

function write(pins: ReadonlyMap<string, Kept>): string {
  return JSON.stringify({
    version: 1,
    pins: [...pins].map(([node, kept]) => [node, { ...kept, cone: [...kept.cone] }]),
  })
}

/** What cannot be read was written by another version, or by nobody: it counts as nothing. */
function read(storage: PinStorage | null, key: string): ReadonlyMap<string, Kept> {
  try {
    const text = storage?.getItem(key) ?? null
    if (text === null || text.length > MOST) return new Map()
    const { pins } = storedPins.parse(JSON.parse(text))
    return new Map(pins.map(([node, kept]) => [node, { ...kept, cone: new Map(kept.cone) }]))
  } catch {
    return new Map()
  }
}
