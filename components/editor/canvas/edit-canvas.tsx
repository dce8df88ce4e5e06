'use client'

import {
  getNodesBounds,
  getViewportForBounds,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useStoreApi,
  type NodeChange,
  type Viewport,
} from '@xyflow/react'
import { Network, Search } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Tools } from '@/components/editor/commands'
import { useEditor, useView } from '@/components/editor/editor-context'
import { Card, Signal } from '@/components/graph/card'
import { DistantEdges } from '@/components/graph/distant-edges'
import { Distance, leastZoom, useDistance, WHOLE } from '@/components/graph/distance'
import { Ground } from '@/components/graph/ground'
import { PointerShield } from '@/components/graph/pointer-shield'
import { Minimap } from '@/components/graph/minimap'
import { ViewportProvider, useViewportStore } from '@/components/graph/viewport'
import { useKnownSizes } from '@/components/graph/known-sizes'
import { CornerButton, ZoomButtons } from '@/components/graph/zoom-buttons'
import { Palette } from './add-node'
import { Wire } from './canvas-edge'
import { CanvasMenu } from './canvas-menu'
import { EmptyCanvas, PathBar } from './canvas-notices'
import { FindNode } from './find-node'
import { NoteCard } from './note-card'
import { SpacePan } from './space-pan'
import { useCanvasHandle } from './use-canvas-handle'
import { useDrag } from './use-drag'
import { useDrawnGraph, type DrawnGraph, type Shown } from './use-drawn-graph'
import { isConnection, useConnecting } from './use-connecting'
import { useSelecting } from './use-selecting'

const nodeTypes = { card: Card, signal: Signal, note: NoteCard }
const edgeTypes = { wire: Wire }

// The canvas treats every new object as a change, and compares all nodes then.
const FIT = { padding: 0.12, maxZoom: 1 }
/** Narrower than this, in pixels, the whole of most graphs would be too small to read: their beginning is shown. */
const NARROW = 560
const FIRST = 2

/** The cards at the beginning of a graph, from the left. */
const firstOf = ({ nodes }: DrawnGraph) =>
  nodes.toSorted((a, b) => a.position.x - b.position.x || a.position.y - b.position.y).slice(0, FIRST)

const plain = () => 'var(--line-strong)'

/**
 * The graph of the draft. Nodes are added, moved and renamed, edges are drawn and reconnected; the draft is edited when the pointer is
 * released.
 */
export function EditCanvas({ tools }: { tools: Tools }) {
  const graph = useDrawnGraph()
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null)
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The form of the node in the address is laid out first, and makes the canvas narrower.
    const frame = requestAnimationFrame(() => {
      const { clientWidth, clientHeight } = element.current!
      setSize({ width: clientWidth, height: clientHeight })
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div ref={element} className="h-full w-full">
      {size !== null && (
        // With size and nodes known, the first render shows every node at its position.
        <ReactFlowProvider
          initialNodes={graph.nodes}
          initialWidth={size.width}
          initialHeight={size.height}
          // Nodes that are added to an empty canvas stay where they are put.
          fitView={graph.nodes.length > 0 && size.width >= NARROW}
          initialFitViewOptions={FIT}
          initialMinZoom={WHOLE}
          initialMaxZoom={FIT.maxZoom}
        >
          <Canvas graph={graph} tools={tools} />
        </ReactFlowProvider>
      )}
    </div>
  )
}

function Canvas({ graph, tools }: { graph: DrawnGraph; tools: Tools }) {
  const { flow, nodes: drawn, edges } = graph
  const canvas = useStoreApi()
  useKnownSizes()
  const [begun] = useState<Viewport>(() => {
    const { width, height, transform } = canvas.getState()
    if (width < NARROW && drawn.length > 0) {
      const start = getViewportForBounds(
        getNodesBounds(firstOf(graph)),
        width,
        height,
        WHOLE,
        FIT.maxZoom,
        FIT.padding,
      )
      canvas.setState({ transform: [start.x, start.y, start.zoom] })
      return start
    }
    const [x, y, zoom] = transform
    return { x, y, zoom }
  })
  const { distant, bare, onlyVisible } = useDistance(drawn.length)
  const viewport = useViewportStore(begun, onlyVisible)
  const frame = useCanvasHandle(flow, viewport.flush)
  const drag = useDrag(graph, bare)
  const select = useSelecting(tools)
  const { onChange } = drag
  const onNodesChange = useCallback(
    (changes: NodeChange<Shown>[]) => {
      onChange(changes)
      select.nodes(changes)
    },
    [onChange, select],
  )
  const connecting = useConnecting()
  const dropEdge = useView((state) => state.dropEdge)
  // A selected edge keeps its handles and its toolbar when the graph is zoomed out.
  const chosen = useMemo(
    () => (bare ? edges.filter(({ id, selected }) => selected === true || id === dropEdge) : edges),
    [bare, edges, dropEdge],
  )
  return (
    <>
      <CanvasMenu tools={tools}>
        <div className="relative h-full w-full" ref={frame}>
          <Distance value={distant}>
            <ViewportProvider value={viewport.store}>
              <ReactFlow
                nodes={drag.nodes}
                edges={chosen}
                nodeTypes={nodeTypes}
                edgeTypes={edgeTypes}
                onNodesChange={onNodesChange}
                onEdgesChange={select.edges}
                onNodeDragStart={drag.onStart}
                onNodeDrag={drag.onDrag}
                onNodeDragStop={drag.onStop}
                onSelectionDragStart={drag.onSelectionStart}
                onSelectionDragStop={drag.onSelectionStop}
                {...connecting}
                isValidConnection={isConnection}
                onNodeDoubleClick={select.open}
                onNodeContextMenu={select.forMenu}
                onEdgeContextMenu={select.edgeForMenu}
                onKeyDown={select.key}
                deleteKeyCode={null}
                // `commands.ts` defines the keys.
                disableKeyboardA11y
                // Moving a node opens no panel.
                selectNodesOnDrag={false}
                connectionRadius={28}
                reconnectRadius={8}
                edgesReconnectable
                elevateNodesOnSelect={false}
                elevateEdgesOnSelect={false}
                zoomOnDoubleClick={false}
                onlyRenderVisibleElements={onlyVisible}
                minZoom={leastZoom(begun.zoom)}
                maxZoom={2}
                {...viewport.props}
                aria-label="Graph of the draft"
              >
                <Overlays
                  drawn={drawn.length}
                  bare={bare}
                  edges={edges}
                  drag={drag}
                  onLayOut={tools.layOut}
                />
              </ReactFlow>
            </ViewportProvider>
          </Distance>
          {drawn.length === 0 && <EmptyCanvas />}
        </div>
      </CanvasMenu>
      <Palette />
    </>
  )
}

/** Everything on the canvas that is neither a node nor an edge of the canvas itself. */
function Overlays({
  drawn,
  bare,
  edges,
  drag,
  onLayOut,
}: {
  /** The number of nodes. */
  drawn: number
  bare: boolean
  edges: DrawnGraph['edges']
  drag: ReturnType<typeof useDrag>
  onLayOut: () => void
}) {
  const { view } = useEditor()
  const searching = useView((state) => state.searching)
  return (
    <>
      <Ground />
      <PointerShield dragging={drag.dragging} />
      <SpacePan />
      {bare && <DistantEdges nodes={drag.nodes} edges={edges} dragged={drag.outOfReact} />}
      {drawn > 8 && <Minimap nodes={drag.nodes} colourOf={plain} className="max-md:hidden" />}
      <ZoomButtons>
        <CornerButton name="Find a node" onClick={() => view.setState({ searching: true })}>
          <Search aria-hidden />
        </CornerButton>
        <CornerButton name="Lay out the graph" onClick={onLayOut}>
          <Network aria-hidden />
        </CornerButton>
      </ZoomButtons>
      <Panel position="top-center">
        <PathBar />
      </Panel>
      {searching && (
        <Panel position="top-right">
          <FindNode />
        </Panel>
      )}
    </>
  )
}
