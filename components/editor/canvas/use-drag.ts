'use client'

import { useStore, type NodeChange, type NodeDimensionChange } from '@xyflow/react'
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type MouseEvent as ReactMouseEvent,
} from 'react'
import { flushSync } from 'react-dom'
import { useEditor } from '@/components/editor/editor-context'
import type { EditorStores } from '@/components/editor/model/stores'
import { isLoose } from '@/components/editor/model/edits'
import type { Flow, Position } from '@/components/editor/model/flow'
import { report } from '@/components/editor/report'
import type { Places } from '@/components/editor/model/canvas/arrange'
import { insert, place } from '@/components/editor/model/canvas/arrange-actions'
import type { WireEdge } from './canvas-edge'
import { carriedBy, movedPlaces, type Carried } from '@/components/editor/model/canvas/drag'
import { createDragLayer, type DragLayer } from './drag-layer'
import { notesOf } from '@/components/editor/model/canvas/notes'
import type { Size } from '@/components/graph/model/boxes'
import { noteKey, noteOf, type DrawnGraph, type Shown } from './use-drawn-graph'

const NOWHERE: Places = new Map()
const NOTHING: ReadonlySet<string> = new Set()

/** A note while it is resized. */
type Resized = Size & { readonly id: string; readonly position: Position }

/** The size of a note during a resize, with its position where the left or upper edge is dragged; null at the end. */
function resize(
  { id, dimensions, resizing }: NodeDimensionChange,
  changes: readonly NodeChange<Shown>[],
  { position }: Shown,
): Resized | null {
  if (resizing !== true || dimensions === undefined) return null
  const move = changes.find((change) => change.type === 'position' && change.id === id)
  return { id, ...dimensions, position: (move?.type === 'position' ? move.position : undefined) ?? position }
}

/** The latest value for callbacks that must stay the same objects: the canvas would render everything again for new ones. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}

type Latest = {
  readonly flow: Flow
  readonly nodes: readonly Shown[]
  /** The ids of all nodes and notes on the canvas. */
  readonly ids: ReadonlySet<string>
  readonly edges: readonly WireEdge[]
  /** The graph is zoomed out: a drag layer moves the nodes, not React. */
  readonly bare: boolean
  readonly root: Element | null
  readonly stored: DrawnGraph['stored']
}

/** How a drag is shown. */
type Show = {
  /** Renders nodes at these positions. */
  places(places: Places): void
  /** The nodes whose edges a drag layer draws. */
  outOfReact(ids: ReadonlySet<string>): void
  size(resized: Resized | null): void
}

/**
 * The positions of nodes during a drag. Only dragged nodes get new objects, and the draft is edited once, when they are dropped. A node
 * without edges that is dropped on an edge is inserted into it; a note takes along everything that lies in it.
 */
export function useDrag({ flow, nodes: drawn, edges, stored }: DrawnGraph, bare: boolean) {
  const stores = useEditor()
  const root = useStore(({ domNode }) => domNode)
  const [dragged, setDragged] = useState<Places>(NOWHERE)
  const [outOfReact, setOutOfReact] = useState(NOTHING)
  const [resized, setResized] = useState<Resized | null>(null)
  const nodes = useMemo<Shown[]>(
    () =>
      drawn.map((node) => {
        if (node.id === resized?.id) return { ...node, ...resized, measured: resized }
        const position = dragged.get(node.id)
        return position === undefined ? node : { ...node, position }
      }),
    [drawn, dragged, resized],
  )
  const ids = useMemo(() => new Set(drawn.map(({ id }) => id)), [drawn])
  const latest = useLatest<Latest>({ flow, nodes, ids, edges, bare, root, stored })
  const callbacks = useMemo(
    () => dragging(stores, latest, { places: setDragged, outOfReact: setOutOfReact, size: setResized }),
    [stores, latest],
  )
  const { cancel, redraw, ...handlers } = callbacks
  // After an undo during a drag, the drag layer starts from the new positions.
  useLayoutEffect(redraw, [drawn, redraw])
  const isDragging = dragged !== NOWHERE || outOfReact !== NOTHING
  useEffect(() => {
    if (!isDragging) return
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // The selection stays.
      event.stopPropagation()
      cancel()
    }
    window.addEventListener('keydown', press, true)
    return () => window.removeEventListener('keydown', press, true)
  }, [isDragging, cancel])
  // The canvas does not end the drag of a node that is removed.
  useEffect(() => {
    if ([...dragged.keys(), ...outOfReact].some((id) => !ids.has(id))) cancel()
  }, [dragged, outOfReact, ids, cancel])
  return { nodes, outOfReact, dragging: isDragging, ...handlers }
}

/** Shows a drag: by React, or by a drag layer while the graph is zoomed out. */
function createDragView(latest: { readonly current: Latest }, show: Show) {
  let layer: DragLayer | null = null

  function openLayer(ids: ReadonlySet<string>): void {
    const { root, nodes, edges } = latest.current
    if (root === null) return
    layer = createDragLayer(root, ids, nodes, edges)
    show.outOfReact(ids)
  }
  function closeLayer(): void {
    layer?.remove()
    layer = null
    show.outOfReact(NOTHING)
  }
  return {
    move(places: Places): void {
      const { bare } = latest.current
      if (layer === null && bare) openLayer(new Set(places.keys()))
      else if (layer !== null && !bare) closeLayer()
      if (layer === null) show.places(places)
      else layer.move(places)
    },
    redraw(places: Places): void {
      if (layer === null || places === NOWHERE) return
      layer.remove()
      openLayer(new Set(places.keys()))
      layer.move(places)
    },
    closeLayer,
  }
}

/** Edits the draft with the result of a drag: an insertion into an edge, or new positions. */
function dropInto(
  stores: EditorStores,
  { flow, stored }: Latest,
  dragged: Places,
  into: string | null,
): void {
  const cards = new Map(
    [...dragged].flatMap(([key, at]) => (noteOf(key) === null ? [[key, stored(at)] as const] : [])),
  )
  const notes = new Map(
    [...dragged].flatMap(([key, at]) => {
      const id = noteOf(key)
      return id === null ? [] : [[id, at] as const]
    }),
  )
  const edge = into === null ? undefined : flow.edges.find(({ id }) => id === into)
  const [only] = cards
  if (edge !== undefined && only !== undefined && cards.size === 1)
    report(insert(stores, only[0], edge, only[1]))
  else report(place(stores, cards, notes))
}

function dragging(stores: EditorStores, latest: { readonly current: Latest }, show: Show) {
  const view = createDragView(latest, show)
  let dragged = NOWHERE
  let carried: ReadonlyMap<string, Carried> = new Map()
  /** The canvas reports a drag until the pointer is released, also one that was cancelled before. */
  let isCancelled = false

  function start(keys: readonly string[]): void {
    isCancelled = false
    const notes = notesOf(stores.draft.getState().definition)
    // While a group is open, cards are not where their notes are.
    const isOpen = stores.view.getState().opened.size > 0
    carried = isOpen ? new Map() : carriedBy(latest.current.flow, notes, new Set(keys), noteKey)
  }

  function onChange(changes: readonly NodeChange<Shown>[]): void {
    for (const change of changes)
      if (change.type === 'dimensions' && change.resizing !== undefined) {
        const node = latest.current.nodes.find(({ id }) => id === change.id)
        show.size(node === undefined ? null : resize(change, changes, node))
      }
    if (isCancelled) return
    const { ids } = latest.current
    const moves = changes.filter(
      (change) =>
        change.type === 'position' &&
        change.position !== undefined &&
        change.dragging === true &&
        ids.has(change.id),
    ) as { id: string; position: Position }[]
    if (moves.length === 0) return
    dragged = movedPlaces(dragged, moves, carried)
    view.move(dragged)
  }

  /** The edge into which a node would be inserted. */
  function edgeUnder(event: { clientX: number; clientY: number }, id: string): string | null {
    if (noteOf(id) !== null || !isLoose(latest.current.flow, id)) return null
    return stores.view.canvas()?.at({ x: event.clientX, y: event.clientY })?.edge ?? null
  }

  function drop(into: string | null): void {
    if (isCancelled) return
    // Rendered at once: with the drag layer gone, nodes would flash at their old positions.
    flushSync(() => {
      dropInto(stores, latest.current, dragged, into)
      clear()
    })
    view.closeLayer()
  }

  function clear(): void {
    stores.view.setState({ dropEdge: null })
    carried = new Map()
    dragged = NOWHERE
    show.places(NOWHERE)
  }

  return {
    /** Ends the drag before the pointer is released; everything stays where it was. */
    cancel: () => {
      isCancelled = true
      view.closeLayer()
      clear()
    },
    redraw: () => view.redraw(dragged),
    onChange,
    onStart: (_event: unknown, _node: Shown, all: readonly Shown[]) => start(all.map(({ id }) => id)),
    onDrag: (event: MouseEvent | TouchEvent | ReactMouseEvent, node: Shown, all: readonly Shown[]) => {
      if (isCancelled || !('clientX' in event) || all.length !== 1) return
      const edge = edgeUnder(event, node.id)
      if (edge !== stores.view.getState().dropEdge) stores.view.setState({ dropEdge: edge })
    },
    onStop: () => drop(stores.view.getState().dropEdge),
    onSelectionStart: (_event: unknown, all: readonly Shown[]) => start(all.map(({ id }) => id)),
    onSelectionStop: () => drop(null),
  }
}
