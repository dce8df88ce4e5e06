'use client'

import {
  Background,
  BackgroundVariant,
  MarkerType,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Connection,
  type Edge,
  type EdgeChange,
  type NodeChange,
} from '@xyflow/react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Card, handlesOf, Signal, type CardNode } from '@/components/graph/card'
import type { Drawing } from '@/components/graph/drawing'
import { quickLayout, sizeOf, storedLayout, type Layout } from '@/components/graph/layout'
import { toast } from '@/components/ui/toast'
import { drawnEdge, drawnNode, drawnSignals } from './drawn'
import { editFlow, remove, type Refusal } from './actions'
import { useDraft, useEditor, useView } from './editor-context'
import { connected, moved } from './edits'
import { toFlow, type Flow, type Position } from './flow'
import { useMarks } from './use-marks'
import type { Selection } from './view'

const nodeTypes = { card: Card, signal: Signal }

function tell(refused: Refusal): void {
  if (refused !== null) toast({ tone: 'bad', title: 'Nothing was changed', text: refused })
}

/** The graph of the draft: nodes are moved, edges are drawn from the handles of outcomes, Delete takes away. */
export function EditCanvas() {
  return (
    <ReactFlowProvider>
      <Canvas />
    </ReactFlowProvider>
  )
}

function Canvas() {
  const stores = useEditor()
  const selection = useView((state) => state.selection)
  const definition = useDraft((draft) => draft.definition)
  const view = useReactFlow()
  const flow = useMemo(() => toFlow(definition), [definition])
  const marks = useMarks()
  const drawing = useMemo<Drawing>(
    () => ({
      nodes: [...flow.nodes.map((node) => drawnNode(node, flow, marks.get(node.id))), ...drawnSignals(flow)],
      edges: flow.edges.map(drawnEdge),
    }),
    [flow, marks],
  )
  const layout = useMemo(() => placesOf(flow, drawing), [flow, drawing])
  // Where nodes are while they are dragged: an edit of the draft when they are let go.
  const [dragged, setDragged] = useState<ReadonlyMap<string, Position>>(new Map())
  const cards = useRef(new Map<string, CardNode>())

  const edit = useCallback(
    (label: string, change: (flow: Flow) => Flow) => tell(editFlow(stores, label, change)),
    [stores],
  )

  const nodes = useMemo<CardNode[]>(
    () =>
      drawing.nodes.map((drawn) => {
        const position = dragged.get(drawn.id) ?? layout.get(drawn.id) ?? { x: 0, y: 0 }
        const selected = selection.nodes.has(drawn.id)
        const old = cards.current.get(drawn.id)
        // The same object tells the canvas that nothing about this card changed.
        if (
          old !== undefined &&
          old.selected === selected &&
          old.position.x === position.x &&
          old.position.y === position.y &&
          JSON.stringify(old.data.drawn) === JSON.stringify(drawn)
        )
          return old
        const size = sizeOf(drawn, false)
        const task = drawn.kind === 'task'
        const card: CardNode = {
          id: drawn.id,
          type: task ? 'card' : 'signal',
          position,
          ...size,
          measured: size,
          handles: handlesOf(drawn, 'right', size),
          data: { drawn, direction: 'right', run: false, editable: true },
          selected,
          draggable: task,
          deletable: task,
          selectable: task,
          ariaLabel: `${drawn.name}, ${drawn.child?.pipeline ?? drawn.task}`,
        }
        cards.current.set(drawn.id, card)
        return card
      }),
    [drawing.nodes, layout, dragged, selection.nodes],
  )

  const edges = useMemo<Edge[]>(
    () =>
      drawing.edges.map((edge) => ({
        id: edge.id,
        source: edge.from,
        target: edge.to,
        sourceHandle: edge.port,
        type: 'smoothstep',
        selected: selection.edges.has(edge.id),
        interactionWidth: 16,
        ...(edge.label === null ? {} : { label: edge.label }),
        labelBgPadding: [5, 2] as [number, number],
        labelBgBorderRadius: 4,
        markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: 'var(--line-strong)' },
        ariaLabel: `${edge.to} starts when ${edge.from} ${edge.outcome}`,
      })),
    [drawing.edges, selection.edges],
  )

  // A node that is selected must not hide behind the panel that opens for it.
  const frame = useRef<HTMLDivElement>(null)
  const [only] = selection.nodes.size === 1 ? selection.nodes : []
  const at = only === undefined ? undefined : layout.get(only)
  useEffect(() => {
    if (at === undefined) return
    const timer = setTimeout(() => {
      const box = frame.current?.getBoundingClientRect()
      if (box === undefined) return
      const point = view.flowToScreenPosition(at)
      const inside =
        point.x >= box.left && point.x + 224 < box.right && point.y >= box.top && point.y + 60 < box.bottom
      if (!inside) void view.setCenter(at.x + 112, at.y + 30, { zoom: view.getZoom(), duration: 150 })
    }, 60)
    return () => clearTimeout(timer)
  }, [at, view])

  function nodesChanged(changes: NodeChange<CardNode>[]): void {
    const places = new Map(dragged)
    for (const change of changes)
      if (change.type === 'position' && change.position !== undefined) places.set(change.id, change.position)
    choose('nodes', changes)
    if (changes.some(({ type }) => type === 'position')) setDragged(places)
  }

  function edgesChanged(changes: EdgeChange[]): void {
    choose('edges', changes)
  }

  /** Nodes and edges tell of one click one after the other: each goes on from what the other left. */
  function choose(kind: keyof Selection, changes: readonly (NodeChange<CardNode> | EdgeChange)[]): void {
    const selects = changes.filter((change) => change.type === 'select')
    if (selects.length === 0) return
    stores.view.setState(({ selection: before }) => {
      const chosen = new Set(before[kind])
      for (const { id, selected } of selects) {
        if (selected) chosen.add(id)
        else chosen.delete(id)
      }
      return { selection: { ...before, [kind]: chosen } }
    })
  }

  /** Everything that stands where nobody placed it is placed with the first move, so that it stays where it is seen. */
  function letGo(): void {
    const places = new Map<string, Position>(
      flow.nodes.flatMap(({ id, position }) => {
        const at = dragged.get(id) ?? (position === null ? layout.get(id) : undefined)
        return at === undefined ? [] : [[id, at] as const]
      }),
    )
    const count = dragged.size
    if (count > 0)
      edit(count === 1 ? `Move ${[...dragged.keys()][0]}` : `Move ${count} nodes`, (now) =>
        moved(now, places),
      )
    setDragged(new Map())
  }

  function connect({ source, sourceHandle, target }: Connection): void {
    const signal = source.startsWith('external.')
    const event = signal ? source : `${source}.${sourceHandle ?? 'completed'}`
    edit(`Connect ${source} to ${target}`, (now) => connected(now, event, target))
  }

  return (
    <ReactFlow
      ref={frame}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      onNodesChange={nodesChanged}
      onEdgesChange={edgesChanged}
      onNodeDragStop={letGo}
      onSelectionDragStop={letGo}
      onConnect={connect}
      isValidConnection={({ source, target }) => source !== target && !target.startsWith('external.')}
      onDelete={({ nodes: gone, edges: cut }) =>
        tell(remove(stores, new Set(gone.map(({ id }) => id)), new Set(cut.map(({ id }) => id))))
      }
      deleteKeyCode={['Delete', 'Backspace']}
      // A node that is only moved opens no panel.
      selectNodesOnDrag={false}
      connectionRadius={28}
      zoomOnDoubleClick={false}
      onlyRenderVisibleElements={drawing.nodes.length > 150}
      minZoom={0.05}
      maxZoom={2}
      fitView
      fitViewOptions={{ padding: 0.12, maxZoom: 1 }}
      aria-label="Graph of the draft"
    >
      <Background variant={BackgroundVariant.Dots} gap={24} size={1.2} />
      {drawing.nodes.length > 8 && (
        <MiniMap
          pannable
          zoomable
          ariaLabel="Overview of the graph"
          style={{ width: 144, height: 88 }}
          nodeColor="var(--line-strong)"
        />
      )}
    </ReactFlow>
  )
}

/** Where everything stands: as placed, and what nobody placed in columns behind what it waits for. */
function placesOf(flow: Flow, drawing: Drawing): Layout {
  const placed = Object.fromEntries(
    flow.nodes.flatMap(({ id, position }) => (position === null ? [] : [[id, position] as const])),
  )
  const stored = storedLayout(drawing, placed, false)
  if (stored !== null) return stored
  const columns = quickLayout(drawing, 'right', false)
  const below = Math.max(0, ...Object.values(placed).map(({ y }) => y + 120))
  const none = Object.keys(placed).length === 0
  return new Map(
    [...columns].map(([id, at]) => [
      id,
      Object.hasOwn(placed, id) ? placed[id]! : { x: at.x, y: at.y + (none ? 0 : below) },
    ]),
  )
}
