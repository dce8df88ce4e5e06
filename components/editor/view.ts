import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Outcome } from '@/core/pipeline/proof/outcomes'
import type { Position } from './flow'
import type { Typed } from './form/use-typed'

/** What one looks at while one edits: none of it is part of the draft, and none of it is undone. */

export type Selection = {
  readonly nodes: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
  /** Sticky notes, by their ids. */
  readonly notes: ReadonlySet<string>
}

export const NOTHING: Selection = { nodes: new Set(), edges: new Set(), notes: new Set() }

export const selectionOf = (...nodes: readonly string[]): Selection => ({ ...NOTHING, nodes: new Set(nodes) })

/** What stands beside the canvas: the code, the outline, or the form of what is selected; of nothing (`pipeline`) that of the pipeline. */
export type Panel = 'node' | 'pipeline' | 'code' | 'outline'

/** How nodes end in the run that shows a problem. */
type ShownPath = ReadonlyMap<string, Outcome>

/** Where the node goes that is chosen next, when it was asked for at a certain place. */
type Placing = {
  readonly at: Position
  /** The event that starts it: an edge was drawn from there into the empty. */
  readonly after?: string
  /** The node that it starts: an edge was drawn backwards into the empty. */
  readonly before?: string
}

export type View = {
  readonly selection: Selection
  readonly panel: Panel
  readonly path: ShownPath | null
  /** What the code shows: a place in the definition, or a line. */
  readonly sought: readonly (string | number)[] | number | null
  /** The palette of tasks is open. */
  readonly adding: boolean
  readonly placing: Placing | null
  /** The field that finds a node is open. */
  readonly searching: boolean
  /** The node, or note, whose text is typed on the canvas. */
  readonly typing: { readonly kind: 'node' | 'note'; readonly id: string } | null
  /** The edge into which what is carried would be put, if it were let go here. */
  readonly dropEdge: string | null
}

/** What the canvas can be told to show; null while there is none. */
type CanvasHandle = {
  fit(): void
  zoomTo(zoom: number): void
  zoomIn(): void
  zoomOut(): void
  /** Gives the keyboard to a card. */
  focus(node: string): void
  /** Where the pointer is over the canvas, else its middle. */
  pointer(): Position
  /** The place of the graph, and the edge, at a point of the window; null: the canvas is not there. */
  at(point: Position): { readonly position: Position; readonly edge: string | null } | null
}

export type ViewStore = StoreApi<View> & {
  /** What was typed into forms and is no value yet, by place. */
  readonly typed: Map<string, Typed>
  /** The canvas that is on the page; null: there is none. */
  canvas(): CanvasHandle | null
  attach(canvas: CanvasHandle | null): void
}

export function createView(panel: Panel = 'node'): ViewStore {
  let attached: CanvasHandle | null = null
  const store = createStore<View>(() => ({
    selection: NOTHING,
    panel,
    path: null,
    sought: null,
    adding: false,
    placing: null,
    searching: false,
    typing: null,
    dropEdge: null,
  }))
  return Object.assign(store, {
    typed: new Map<string, Typed>(),
    canvas: () => attached,
    attach(canvas: CanvasHandle | null) {
      attached = canvas
    },
  })
}

/** The node that is looked at: the only one that is selected. */
export function onlyNode({ selection }: View): string | null {
  const [only] = selection.nodes
  return selection.nodes.size === 1 && only !== undefined ? only : null
}
