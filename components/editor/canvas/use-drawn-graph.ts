'use client'

import { MarkerType } from '@xyflow/react'
import { useCallback, useMemo, useRef } from 'react'
import { idFromName, rename, switchJoin, toggleGroup } from '@/components/editor/model/actions'
import { useDraft, useEditor, useView } from '@/components/editor/editor-context'
import type { EditorStores } from '@/components/editor/model/stores'
import { toFlow, type Flow, type FlowEdge } from '@/components/editor/model/flow'
import { report } from '@/components/editor/report'
import { useFaults, useMarks } from '@/components/editor/trial/use-marks'
import { handlesOf, type CardNode } from '@/components/graph/card'
import { around, type Point } from '@/components/graph/model/boxes'
import type { DrawnEdge } from '@/components/graph/model/drawing'
import { fold, type Folded } from '@/components/graph/model/fold'
import {
  CARD,
  openingsOf,
  quickLayout,
  sizeOf,
  withoutOpen,
  withOpen,
  type Direction,
  type Layout,
  type Opening,
} from '@/components/graph/model/layout'
import { routerOf, type Router } from '@/components/graph/routes'
import { useArranged, useShape } from '@/components/graph/use-layout'
import { sameJson } from '@/core/pipeline/match'
import type { WireEdge } from './canvas-edge'
import {
  cardPlaces,
  closedOf,
  drawingOf,
  drawnEdge,
  ownBoxesOf,
  storedOf,
} from '@/components/editor/model/canvas/flow-drawing'
import type { NoteNode } from './note-card'
import { notesOf } from '@/components/editor/model/canvas/notes'

/** The nodes of the canvas: cards, external events, sticky notes. */
export type Shown = CardNode | NoteNode

/** Notes are nodes of the canvas too, under names that no node has, not even in a draft that says anything. */
const NOTE = 'note\u0000'
export const noteKey = (id: string): string => `${NOTE}${id}`
export const noteOf = (key: string): string | null => (key.startsWith(NOTE) ? key.slice(NOTE.length) : null)

const ARROW = { type: MarkerType.ArrowClosed, width: 16, height: 16, color: 'var(--line-strong)' }

/** The list of before where it held the same: a new one makes the canvas look at everything. */
function useSame<T>(list: T[]): T[] {
  const last = useRef(list)
  if (list.length !== last.current.length || list.some((member, at) => member !== last.current[at]))
    last.current = list
  return last.current
}

/** Callbacks shared by all cards, so that cards need not be rendered again. */
function useCardActions(stores: EditorStores) {
  return useMemo(
    () => ({
      onJoin: (id: string) => report(switchJoin(stores, id)),
      onName: (id: string, name: string | null) => {
        stores.view.setState({ typing: null })
        if (name === null) return
        report(rename(stores, id, name))
        idFromName(stores, id)
      },
      onOpen: (id: string) => toggleGroup(stores, id),
    }),
    [stores],
  )
}

export type DrawnGraph = {
  readonly flow: Flow
  readonly nodes: Shown[]
  readonly edges: WireEdge[]
  readonly direction: Direction
  /** The layout that stands in is shown, until the one of the graph is computed. */
  readonly isArranging: boolean
  /** The position that the definition would hold for what is shown at a position of the canvas. */
  readonly stored: (at: Point) => Point
}

const NO_OPENINGS: readonly Opening[] = []

/**
 * The nodes and edges of the canvas for the draft. What did not change is the same object, which the canvas skips. Downwards, on narrow
 * screens, the graph is laid out for the screen, and what the definition says of positions is not shown.
 */
export function useDrawnGraph(direction: Direction): DrawnGraph {
  const stores = useEditor()
  const definition = useDraft((draft) => draft.definition)
  const opened = useView((view) => view.opened)
  const selected = useView((view) => view.selection.nodes)
  const flow = useMemo(() => toFlow(definition), [definition])
  const closed = closedOf(flow)
  const shape = useShape(closed)
  const isStored = direction === 'right' && storedOf(flow) !== null
  const arranged = useArranged(isStored ? null : shape, direction)
  const last = useRef<Folded | null>(null)
  const drawing = useMemo(() => {
    if (opened.size === 0) return closed
    last.current = fold(drawingOf(flow), { opened, traced: selected }, last.current)
    return last.current
  }, [flow, closed, opened, selected])
  const isArranging = !isStored && arranged === null
  const places = direction === 'right' ? cardPlaces(flow) : (arranged ?? quickLayout(closed, direction))
  const layout = withOpen(drawing, places, direction)
  const openings = useMemo(
    () => (opened.size === 0 ? NO_OPENINGS : openingsOf(drawing, places, direction)),
    [opened, drawing, places, direction],
  )
  const stored = useCallback(
    (at: Point): Point => {
      if (direction === 'right') return openings.length === 0 ? at : withoutOpen(openings, at, direction)
      // Nothing on the screen says where: behind all others.
      const all = around(ownBoxesOf(flow).values())
      return all === null ? { x: 0, y: 0 } : { x: all.x + all.width + CARD.width, y: all.y }
    },
    [openings, direction, flow],
  )
  const cards = useCards({ drawing, layout, direction }, stores)
  const notes = useNotes(definition)
  const edges = useEdges({ flow, drawing, router: routerOf(layout, cards, drawing.edges) })
  const nodes = useSame(
    useMemo<Shown[]>(
      () => (direction === 'right' ? [...notes, ...cards] : [...cards]),
      [notes, cards, direction],
    ),
  )
  return { flow, nodes, edges, direction, isArranging, stored }
}

function useCards(
  {
    drawing,
    layout,
    direction,
  }: { readonly drawing: Folded; readonly layout: Layout; readonly direction: Direction },
  stores: EditorStores,
): readonly CardNode[] {
  const { onJoin, onName, onOpen } = useCardActions(stores)
  const selected = useView((view) => view.selection.nodes)
  const path = useView((view) => view.path)
  const typing = useView((view) => (view.typing?.kind === 'node' ? view.typing.id : null))
  const marks = useMarks()
  const faults = useFaults()
  const known = useRef<ReadonlyMap<string, CardNode>>(new Map())
  return useMemo(() => {
    const cards = drawing.nodes.map((plain): CardNode => {
      const mark = marks.get(plain.id)
      const drawn = mark === undefined ? plain : { ...plain, ...mark }
      const position = layout.get(drawn.id) ?? { x: 0, y: 0 }
      const ids = drawn.group?.ids ?? [drawn.id]
      const chosen = selected.size === 0 ? [] : ids.filter((id) => selected.has(id))
      const isFrame = drawn.group?.open === true
      const inFrame = layout.has(drawn.id) && drawing.cards.has(drawn.id)
      const isSelected = !isFrame && chosen.length > 0
      const joins = drawn.group === undefined && (drawn.gate.includes('and') || drawn.gate.includes('or'))
      const ending = path === null ? undefined : (ids.map((id) => path.get(id)).find(Boolean) ?? null)
      const wrong = wrongOf(ids, faults)
      const old = known.current.get(drawn.id)
      const onlyChosen = drawn.group !== undefined && chosen.length === 1 ? chosen[0] : undefined
      if (
        old !== undefined &&
        old.selected === isSelected &&
        old.position.x === position.x &&
        old.position.y === position.y &&
        old.data.direction === direction &&
        old.data.ending === ending &&
        old.data.wrong === wrong &&
        old.data.chosen === onlyChosen &&
        (old.data.onName !== undefined) === (typing === drawn.id) &&
        sameJson(old.data.drawn, drawn)
      )
        return old
      const size = sizeOf(drawn, direction)
      const isCard = drawn.kind !== 'signal' && !isFrame
      return {
        id: drawn.id,
        type: drawn.kind === 'task' ? 'card' : drawn.kind,
        position,
        ...size,
        measured: size,
        handles: handlesOf(drawn, direction, size),
        data: {
          drawn,
          direction,
          run: false,
          editable: true,
          onJoin: joins ? onJoin : undefined,
          onName: typing === drawn.id ? onName : undefined,
          ending,
          wrong,
          ...(drawn.kind === 'group' ? { onOpen, chosen: onlyChosen } : {}),
        },
        selected: isSelected,
        // In the frame of a group, and on a narrow screen, cards are where they are laid out.
        draggable: isCard && !inFrame && direction === 'right',
        deletable: isCard,
        selectable: isCard,
        ...(isFrame ? { className: 'open-group' } : {}),
        ariaLabel:
          drawn.group === undefined
            ? `${drawn.name}, ${drawn.child?.pipeline ?? drawn.task}`
            : `${drawn.name} of ${drawn.task}, ${drawn.group.names.join(' to ')}`,
      }
    })
    known.current = new Map(cards.map((card) => [card.id, card]))
    return cards
  }, [drawing, layout, direction, marks, faults, selected, path, typing, onJoin, onName, onOpen])
}

/** The first error of some nodes, and of how many more there is one. */
function wrongOf(ids: readonly string[], faults: ReadonlyMap<string, string>): string | undefined {
  if (faults.size === 0) return undefined
  const found = ids.flatMap((id) => faults.get(id) ?? [])
  return found.length > 1 ? `${found[0]} (and ${found.length - 1} more with errors)` : found[0]
}

function useNotes(definition: Parameters<typeof notesOf>[0]): readonly NoteNode[] {
  const list = definition['notes']
  const selected = useView((view) => view.selection.notes)
  const alone = useView(({ selection }) => selection.notes.size === 1 && selection.nodes.size === 0)
  const known = useRef<ReadonlyMap<string, NoteNode>>(new Map())
  return useMemo(() => {
    const notes = notesOf({ notes: list }).map((note): NoteNode => {
      const old = known.current.get(note.id)
      const chosen = selected.has(note.id)
      if (
        old !== undefined &&
        old.selected === chosen &&
        old.data.alone === (alone && chosen) &&
        sameJson(old.data.note, note)
      )
        return old
      const { x, y, width, height } = note
      return {
        id: noteKey(note.id),
        type: 'note',
        position: { x, y },
        width,
        height,
        measured: { width, height },
        handles: [],
        // Below edges and cards: a note may frame them.
        zIndex: -1,
        data: { note, alone: alone && chosen },
        selected: chosen,
        connectable: false,
        ariaLabel: `Note: ${note.text.slice(0, 80)}`,
      }
    })
    known.current = new Map(notes.map((node) => [node.data.note.id, node]))
    return notes
  }, [list, selected, alone])
}

/** A line: an edge, or all edges between two cards that say the same. */
type Line = { readonly drawn: DrawnEdge; readonly edge: FlowEdge; readonly ids: readonly string[] | null }

function linesOf(flow: Flow, drawing: Folded): readonly Line[] {
  if (drawing.cards.size === 0) return flow.edges.map((edge) => ({ drawn: drawnEdge(edge), edge, ids: null }))
  const edges = new Map(flow.edges.map((edge) => [edge.id, edge]))
  return drawing.edges.flatMap((drawn): Line[] => {
    const edge = edges.get(drawn.ids?.[0] ?? drawn.id)
    return edge === undefined ? [] : [{ drawn, edge, ids: drawn.ids ?? null }]
  })
}

function useEdges({
  flow,
  drawing,
  router,
}: {
  readonly flow: Flow
  readonly drawing: Folded
  readonly router: Router
}): WireEdge[] {
  const selection = useView((view) => view.selection)
  const path = useView((view) => view.path)
  const dropEdge = useView((view) => view.dropEdge)
  const known = useRef<ReadonlyMap<string, WireEdge>>(new Map())
  const wires = useMemo(() => {
    const alone = selection.edges.size === 1 && selection.nodes.size + selection.notes.size === 0
    const edges = linesOf(flow, drawing).map(({ drawn, edge, ids }): WireEdge => {
      const selected = selection.edges.size > 0 && (ids ?? [edge.id]).every((id) => selection.edges.has(id))
      const bar = selected && alone && ids === null
      const className = [
        drawn.id === dropEdge ? 'dropping' : '',
        path !== null && !(path.has(edge.source) && path.has(edge.target)) ? 'dimmed' : '',
      ].join(' ')
      const way = router(drawn)
      const old = known.current.get(drawn.id)
      if (
        old !== undefined &&
        sameJson(old.data?.way, way) &&
        old.source === drawn.from &&
        old.target === drawn.to &&
        old.selected === selected &&
        old.data?.bar === bar &&
        old.className === className &&
        // Another field of its target was edited: it is the edge that it was.
        sameJson(old.data.edge, edge)
      )
        return old
      return {
        id: drawn.id,
        type: 'wire',
        source: drawn.from,
        target: drawn.to,
        sourceHandle: drawn.port,
        selected,
        className,
        interactionWidth: 16,
        // The toolbar of an edge is above the cards.
        zIndex: bar ? 2 : 0,
        ...(ids === null ? {} : { reconnectable: false }),
        data: { edge, text: drawn.label, bar, way },
        markerEnd: ARROW,
        ariaLabel:
          ids === null
            ? `${edge.target} starts when ${edge.source} ${drawn.outcome}`
            : `${ids.length} edges of the same kind, from ${edge.source} to ${edge.target} and others`,
      }
    })
    known.current = new Map(edges.map((edge) => [edge.id, edge]))
    return edges
  }, [flow, drawing, router, selection, path, dropEdge])
  return useSame(wires)
}
