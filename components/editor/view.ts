import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Outcome } from '@/core/pipeline/outcomes'

/** What one looks at while one edits: none of it is part of the draft, and none of it is undone. */

export type Selection = { readonly nodes: ReadonlySet<string>; readonly edges: ReadonlySet<string> }

export const NOTHING: Selection = { nodes: new Set(), edges: new Set() }

export const selectionOf = (...nodes: readonly string[]): Selection => ({
  nodes: new Set(nodes),
  edges: NOTHING.edges,
})

/** What stands beside the canvas: the code, the outline, or the form of what is selected; of nothing (`pipeline`) that of the pipeline. */
export type Panel = 'node' | 'pipeline' | 'code' | 'outline'

/** How nodes end in the run that shows a problem. */
export type ShownPath = ReadonlyMap<string, Outcome>

export type View = {
  readonly selection: Selection
  readonly panel: Panel
  readonly path: ShownPath | null
  /** The palette of tasks is open. */
  readonly adding: boolean
}

export type ViewStore = StoreApi<View>

export const createView = (panel: Panel = 'node'): ViewStore =>
  createStore<View>(() => ({ selection: NOTHING, panel, path: null, adding: false }))

/** The node that is looked at: the only one that is selected. */
export function onlyNode({ selection }: View): string | null {
  const [only] = selection.nodes
  return selection.nodes.size === 1 && only !== undefined ? only : null
}
