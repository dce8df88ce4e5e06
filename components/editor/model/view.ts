import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Outcome } from '@/core/pipeline/proof/outcomes'
import type { Position } from './flow'

/** What is selected and open in the editor. None of it is part of the draft, and none of it can be undone. */

export type Selection = {
  readonly nodes: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
  /** Sticky notes, by their ids. */
  readonly notes: ReadonlySet<string>
}

export const NOTHING: Selection = { nodes: new Set(), edges: new Set(), notes: new Set() }

export const selectionOf = (...nodes: readonly string[]): Selection => ({ ...NOTHING, nodes: new Set(nodes) })

/** What is shown beside the canvas: the code, the outline, the form of the selected node, or that of the pipeline. */
export type Panel = 'node' | 'pipeline' | 'code' | 'outline'

/** How nodes end in the run that demonstrates a problem. */
type ShownPath = ReadonlyMap<string, Outcome>

/** Where the next node is put, when an edge was dropped on the empty canvas. */
type Placing = {
  readonly at: Position
  /** The event that starts the node: the edge came from its handle. */
  readonly after?: string
  /** The node that the new node starts: the edge was drawn backwards. */
  readonly before?: string
}

export type View = {
  readonly selection: Selection
  readonly panel: Panel
  readonly path: ShownPath | null
  /** What the code editor scrolls to: a path in the definition, or a line. */
  readonly sought: readonly (string | number)[] | number | null
  /** The palette of tasks is open. */
  readonly adding: boolean
  readonly placing: Placing | null
  /** The field that finds a node is open. */
  readonly searching: boolean
  /** The node, or note, whose text is typed on the canvas. */
  readonly typing: { readonly kind: 'node' | 'note'; readonly id: string } | null
  /**
   * The node that was just added, until another one is selected: nobody has had the time to fill it in. `idChosen`: its author has
   * chosen its id, or it has come of its name.
   */
  readonly fresh: { readonly node: string; readonly idChosen: boolean } | null
  /** The edge into which the dragged node would be inserted if it were dropped now. */
  readonly dropEdge: string | null
  /** The cards of groups that are open. */
  readonly opened: ReadonlySet<string>
  /** The group that was opened or closed last. */
  readonly lastOpened: string | null
}

/** What actions can do with the canvas. */
type CanvasHandle = {
  fit(): void
  zoomTo(zoom: number): void
  zoomIn(): void
  zoomOut(): void
  /** Focuses a card. */
  focus(node: string): void
  /** The position of the pointer in the graph; the middle of the canvas when the pointer is elsewhere. */
  pointer(): Position
  /** The position in the graph and the edge at a point of the window; null: the point is not on the canvas. */
  at(point: Position): { readonly position: Position; readonly edge: string | null } | null
}

type TypedText = { readonly text: string; readonly gives: unknown }

export type ViewStore = StoreApi<View> & {
  /** Text in form fields that is not a value yet, with the value that the field has, by path. */
  readonly typed: Map<string, TypedText>
  /** The canvas on the page; null: there is none. */
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
    fresh: null,
    dropEdge: null,
    opened: new Set(),
    lastOpened: null,
  }))
  store.subscribe(({ selection, fresh }, before) => {
    if (fresh === null || selection === before.selection || onlyNode({ selection }) === fresh.node) return
    store.setState({ fresh: null })
  })
  return Object.assign(store, {
    typed: new Map<string, TypedText>(),
    canvas: () => attached,
    attach(canvas: CanvasHandle | null) {
      attached = canvas
    },
  })
}

/** The id of the node that was just added; null: another one was selected since. */
export const freshNode = ({ fresh }: View): string | null => fresh?.node ?? null

/** The selected node, when exactly one is selected. */
export function onlyNode({ selection }: Pick<View, 'selection'>): string | null {
  const [only] = selection.nodes
  return selection.nodes.size === 1 && only !== undefined ? only : null
}
