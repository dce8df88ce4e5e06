'use client'

import { MarkerType } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import { idFromName, rename, switchJoin } from '@/components/editor/model/actions'
import { useDraft, useEditor, useView } from '@/components/editor/editor-context'
import type { EditorStores } from '@/components/editor/model/stores'
import { toFlow, type Flow } from '@/components/editor/model/flow'
import { report } from '@/components/editor/report'
import { useFaults, useMarks } from '@/components/editor/trial/use-marks'
import { handlesOf, type CardNode } from '@/components/graph/card'
import { sizeOf } from '@/components/graph/model/layout'
import { sameJson } from '@/core/pipeline/match'
import type { WireEdge } from './canvas-edge'
import { drawingOf, drawnEdge, placesOf } from '@/components/editor/model/canvas/flow-drawing'
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
    }),
    [stores],
  )
}

export type DrawnGraph = { readonly flow: Flow; readonly nodes: Shown[]; readonly edges: WireEdge[] }

/**
 * The nodes and edges of the canvas for the draft. What did not change is the same object, which the canvas skips.
 */
export function useDrawnGraph(): DrawnGraph {
  const stores = useEditor()
  const definition = useDraft((draft) => draft.definition)
  const flow = useMemo(() => toFlow(definition), [definition])
  const cards = useCards(flow, stores)
  const notes = useNotes(definition)
  const edges = useEdges(flow)
  const nodes = useSame(useMemo<Shown[]>(() => [...notes, ...cards], [notes, cards]))
  return { flow, nodes, edges }
}

function useCards(flow: Flow, stores: EditorStores): readonly CardNode[] {
  const { onJoin, onName } = useCardActions(stores)
  const selected = useView((view) => view.selection.nodes)
  const path = useView((view) => view.path)
  const typing = useView((view) => (view.typing?.kind === 'node' ? view.typing.id : null))
  const marks = useMarks()
  const faults = useFaults()
  const known = useRef<ReadonlyMap<string, CardNode>>(new Map())
  return useMemo(() => {
    const places = placesOf(flow)
    const cards = drawingOf(flow).nodes.map((plain): CardNode => {
      const mark = marks.get(plain.id)
      const drawn = mark === undefined ? plain : { ...plain, ...mark }
      const position = places.get(drawn.id) ?? { x: 0, y: 0 }
      const task = drawn.kind === 'task'
      const joins = drawn.gate.includes('and') || drawn.gate.includes('or')
      const ending = path === null ? undefined : (path.get(drawn.id) ?? null)
      const wrong = faults.get(drawn.id)
      const old = known.current.get(drawn.id)
      if (
        old !== undefined &&
        old.selected === selected.has(drawn.id) &&
        old.position.x === position.x &&
        old.position.y === position.y &&
        old.data.ending === ending &&
        old.data.wrong === wrong &&
        (old.data.onName !== undefined) === (typing === drawn.id) &&
        sameJson(old.data.drawn, drawn)
      )
        return old
      const size = sizeOf(drawn, false)
      return {
        id: drawn.id,
        type: task ? 'card' : 'signal',
        position,
        ...size,
        measured: size,
        handles: handlesOf(drawn, 'right', size),
        data: {
          drawn,
          direction: 'right',
          run: false,
          editable: true,
          onJoin: joins ? onJoin : undefined,
          onName: typing === drawn.id ? onName : undefined,
          ending,
          wrong,
        },
        selected: selected.has(drawn.id),
        draggable: task,
        deletable: task,
        selectable: task,
        ariaLabel: `${drawn.name}, ${drawn.child?.pipeline ?? drawn.task}`,
      }
    })
    known.current = new Map(cards.map((card) => [card.id, card]))
    return cards
  }, [flow, marks, faults, selected, path, typing, onJoin, onName])
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

function useEdges(flow: Flow): WireEdge[] {
  const selection = useView((view) => view.selection)
  const path = useView((view) => view.path)
  const dropEdge = useView((view) => view.dropEdge)
  const known = useRef<ReadonlyMap<string, WireEdge>>(new Map())
  const wires = useMemo(() => {
    const alone = selection.edges.size === 1 && selection.nodes.size + selection.notes.size === 0
    const edges = flow.edges.map((edge): WireEdge => {
      const selected = selection.edges.has(edge.id)
      const bar = selected && alone
      const className = [
        edge.id === dropEdge ? 'dropping' : '',
        path !== null && !(path.has(edge.source) && path.has(edge.target)) ? 'dimmed' : '',
      ].join(' ')
      const old = known.current.get(edge.id)
      if (
        old !== undefined &&
        old.selected === selected &&
        old.data?.bar === bar &&
        old.className === className &&
        // Another field of its target was edited: it is the edge that it was.
        sameJson(old.data.edge, edge)
      )
        return old
      const drawn = drawnEdge(edge)
      return {
        id: edge.id,
        type: 'wire',
        source: edge.source,
        target: edge.target,
        sourceHandle: drawn.port,
        selected,
        className,
        interactionWidth: 16,
        // The toolbar of an edge is above the cards.
        zIndex: bar ? 2 : 0,
        data: { edge, text: drawn.label, bar },
        markerEnd: ARROW,
        ariaLabel: `${edge.target} starts when ${edge.source} ${drawn.outcome}`,
      }
    })
    known.current = new Map(edges.map((edge) => [edge.id, edge]))
    return edges
  }, [flow, selection, path, dropEdge])
  return useSame(wires)
}
