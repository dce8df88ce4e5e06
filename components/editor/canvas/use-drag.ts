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
import { boxesOf } from '@/components/editor/model/canvas/flow-drawing'
import { lift, type Lifted } from './drag-layer'
import { notesOf, within, type Box, type Size } from '@/components/editor/model/canvas/notes'
import { noteKey, noteOf, type DrawnGraph, type Shown } from './use-drawn-graph'

const NOWHERE: Places = new Map()
const NOTHING: ReadonlySet<string> = new Set()

/** A note while its corner is drawn. */
type Resized = Size & { readonly id: string; readonly position: Position }

/** What a change of size comes to, the place included where a left or upper edge is drawn; null when it ended. */
function resize(
  { id, dimensions, resizing }: NodeDimensionChange,
  changes: readonly NodeChange<Shown>[],
  { position }: Shown,
): Resized | null {
  if (resizing !== true || dimensions === undefined) return null
  const move = changes.find((change) => change.type === 'position' && change.id === id)
  return { id, ...dimensions, position: (move?.type === 'position' ? move.position : undefined) ?? position }
}

/** What the callbacks below look at, as it was last drawn. They themselves stay the same, or the canvas would draw everything anew. */
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
  /** Their ids. */
  readonly there: ReadonlySet<string>
  readonly edges: readonly WireEdge[]
  /** The graph is seen from far: what is dragged is lifted (see `lift`). */
  readonly bare: boolean
  readonly root: Element | null
}

/** What a drag shows. */
type Show = {
  /** Draws things where they are now. */
  draw(places: Places): void
  /** Leaves the edges of lifted nodes to whoever lifted them. */
  lifted(ids: ReadonlySet<string>): void
  size(resized: Resized | null): void
}

/**
 * Where things are while they are dragged: only those get new objects, and the draft is edited once, when they are let go. A node that
 * nothing is linked to goes into the edge on which it is let go; a note takes along what stands in it.
 */
export function useDrag({ flow, nodes: drawn, edges }: DrawnGraph, bare: boolean) {
  const stores = useEditor()
  const root = useStore(({ domNode }) => domNode)
  const [dragged, setDragged] = useState<Places>(NOWHERE)
  const [lifted, setLifted] = useState(NOTHING)
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
  const there = useMemo(() => new Set(drawn.map(({ id }) => id)), [drawn])
  const latest = useLatest<Latest>({ flow, nodes, there, edges, bare, root })
  const callbacks = useMemo(
    () => dragging(stores, latest, { draw: setDragged, lifted: setLifted, size: setResized }),
    [stores, latest],
  )
  const { end, redrawn, ...handlers } = callbacks
  // An undo in the middle of a drag: what is lifted is shown from where it stands now.
  useLayoutEffect(redrawn, [drawn, redrawn])
  const isDragging = dragged !== NOWHERE || lifted !== NOTHING
  useEffect(() => {
    if (!isDragging) return
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // What is selected stays selected.
      event.stopPropagation()
      end()
    }
    window.addEventListener('keydown', press, true)
    return () => window.removeEventListener('keydown', press, true)
  }, [isDragging, end])
  // What is taken away while somebody drags it is let go of: nobody else tells that the drag is over.
  useEffect(() => {
    if ([...dragged.keys(), ...lifted].some((id) => !there.has(id))) end()
  }, [dragged, lifted, there, end])
  return { nodes, lifted, dragging: isDragging, ...handlers }
}

function dragging(stores: EditorStores, latest: { readonly current: Latest }, show: Show) {
  let dragged = NOWHERE
  let held: Lifted | null = null
  /** The canvas goes on with a drag until the pointer is let go: one that ended before moves nothing. */
  let isEnded = false
  /** What stands in the notes that are dragged: their places when the drag began, and the note that carries them. */
  let carried: ReadonlyMap<
    string,
    { readonly from: Position; readonly note: string; readonly begun: Position }
  > = new Map()

  function start(keys: readonly string[]): void {
    isEnded = false
    const { flow } = latest.current
    const moving = new Set(keys)
    const { definition } = stores.draft.getState()
    const notes = notesOf(definition)
    const inside = new Map<string, { from: Position; note: string; begun: Position }>()
    carried = inside
    if (notes.length === 0) return
    const boxes = new Map<string, Box>([
      ...boxesOf(flow),
      ...notes.map((note) => [noteKey(note.id), note] as const),
    ])
    const ids = new Set([...flow.nodes.map(({ id }) => id), ...notes.map(({ id }) => noteKey(id))])
    for (const note of notes) {
      const key = noteKey(note.id)
      if (!moving.has(key)) continue
      for (const [id, box] of boxes)
        if (ids.has(id) && !moving.has(id) && within(box, note))
          inside.set(id, { from: { x: box.x, y: box.y }, note: key, begun: { x: note.x, y: note.y } })
    }
  }

  function onChange(changes: readonly NodeChange<Shown>[]): void {
    for (const change of changes)
      if (change.type === 'dimensions' && change.resizing !== undefined) {
        const node = latest.current.nodes.find(({ id }) => id === change.id)
        show.size(node === undefined ? null : resize(change, changes, node))
      }
    if (isEnded) return
    const { there } = latest.current
    const moves = changes.filter(
      (change) =>
        change.type === 'position' &&
        change.position !== undefined &&
        change.dragging === true &&
        there.has(change.id),
    ) as { id: string; position: Position }[]
    if (moves.length === 0) return
    const places = new Map(dragged)
    for (const { id, position } of moves) places.set(id, position)
    for (const [id, { from, note, begun }] of carried) {
      const at = places.get(note)
      if (at !== undefined) places.set(id, { x: from.x + at.x - begun.x, y: from.y + at.y - begun.y })
    }
    dragged = places
    if (held === null && latest.current.bare) takeUp(new Set(places.keys()))
    else if (held !== null && !latest.current.bare) putDown()
    if (held === null) show.draw(places)
    else held.move(places)
  }

  function takeUp(ids: ReadonlySet<string>): void {
    const { root, nodes, edges } = latest.current
    if (root === null) return
    held = lift(root, ids, nodes, edges)
    show.lifted(ids)
  }

  function redrawn(): void {
    if (held === null || dragged === NOWHERE) return
    held.drop()
    takeUp(new Set(dragged.keys()))
    held.move(dragged)
  }

  function putDown(): void {
    held?.drop()
    held = null
    show.lifted(NOTHING)
  }

  /** The edge into which a node would be put. */
  function edgeUnder(event: { clientX: number; clientY: number }, id: string): string | null {
    if (noteOf(id) !== null || !isLoose(latest.current.flow, id)) return null
    return stores.view.canvas()?.at({ x: event.clientX, y: event.clientY })?.edge ?? null
  }

  function letGo(into: string | null): void {
    if (isEnded) return
    // Drawn at once where they are: otherwise what was lifted would flash up where it was.
    flushSync(() => settle(into))
    putDown()
  }

  function settle(into: string | null): void {
    const cards = new Map([...dragged].filter(([key]) => noteOf(key) === null))
    const notes = new Map(
      [...dragged].flatMap(([key, at]) => {
        const id = noteOf(key)
        return id === null ? [] : [[id, at] as const]
      }),
    )
    const edge = into === null ? undefined : latest.current.flow.edges.find(({ id }) => id === into)
    const [only] = cards
    if (edge !== undefined && only !== undefined && cards.size === 1)
      report(insert(stores, only[0], edge, only[1]))
    else report(place(stores, cards, notes))
    forget()
  }

  function forget(): void {
    stores.view.setState({ dropEdge: null })
    carried = new Map()
    dragged = NOWHERE
    show.draw(NOWHERE)
  }

  return {
    /** Ends the drag before the pointer is let go; what is dragged stays where it was. */
    end: () => {
      isEnded = true
      putDown()
      forget()
    },
    redrawn,
    onChange,
    onStart: (_event: unknown, _node: Shown, all: readonly Shown[]) => start(all.map(({ id }) => id)),
    onDrag: (event: MouseEvent | TouchEvent | ReactMouseEvent, node: Shown, all: readonly Shown[]) => {
      if (isEnded || !('clientX' in event) || all.length !== 1) return
      const edge = edgeUnder(event, node.id)
      if (edge !== stores.view.getState().dropEdge) stores.view.setState({ dropEdge: edge })
    },
    onStop: () => letGo(stores.view.getState().dropEdge),
    onSelectionStart: (_event: unknown, all: readonly Shown[]) => start(all.map(({ id }) => id)),
    onSelectionStop: () => letGo(null),
  }
}
