'use client'

import { Panel, ReactFlow, ReactFlowProvider, useStoreApi, type NodeChange } from '@xyflow/react'
import { Network, Search } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Tools } from '@/components/editor/commands'
import { useEditor, useView } from '@/components/editor/editor-context'
import { onlyNode } from '@/components/editor/model/view'
import { Card, Signal } from '@/components/graph/card'
import { DistantEdges } from '@/components/graph/distant-edges'
import { Distance, useDistance } from '@/components/graph/distance'
import { GroupCard } from '@/components/graph/group-card'
import { Ground } from '@/components/graph/ground'
import { PointerShield } from '@/components/graph/pointer-shield'
import { Minimap } from '@/components/graph/minimap'
import { nodeBoxes, type Size } from '@/components/graph/model/boxes'
import {
  freePart,
  leastZoom,
  NARROW,
  openingView,
  READABLE,
  zoomOfAll,
  type Camera,
} from '@/components/graph/model/camera'
import { ViewportProvider, useViewportStore } from '@/components/graph/viewport'
import { useKnownSizes } from '@/components/graph/known-sizes'
import { CornerButton, ZoomButtons, type useZoom } from '@/components/graph/zoom-buttons'
import { Palette } from './add-node'
import { Wire } from './canvas-edge'
import { CanvasMenu } from './canvas-menu'
import { EmptyCanvas, PathBar } from './canvas-notices'
import { FindNode } from './find-node'
import { NoteCard } from './note-card'
import { SpacePan } from './space-pan'
import { shownBox, useCanvasHandle } from './use-canvas-handle'
import { useDrag } from './use-drag'
import { useDrawnGraph, type DrawnGraph, type Shown } from './use-drawn-graph'
import { isConnection, useConnecting } from './use-connecting'
import { useSelecting } from './use-selecting'

const nodeTypes = { card: Card, signal: Signal, group: GroupCard, note: NoteCard }
const edgeTypes = { wire: Wire }

const plain = () => 'var(--line-strong)'

/**
 * The graph of the draft. Nodes are added, moved and renamed, edges are drawn and reconnected; the draft is edited when the pointer is
 * released.
 */
export function EditCanvas({ tools }: { tools: Tools }) {
  const [size, setSize] = useState<Size | null>(null)
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
      {size !== null && <Arranged size={size} tools={tools} />}
    </div>
  )
}

/** Waits for the layout of a graph that has none, so that the first frame shows every node at its position. */
function Arranged({ size, tools }: { size: Size; tools: Tools }) {
  const graph = useDrawnGraph(size.width < NARROW ? 'down' : 'right')
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    if (!graph.isArranging) setReady(true)
  }, [graph.isArranging])
  if (graph.isArranging && !isReady) return <div role="status" aria-label="Arranging the graph" />
  return (
    <ReactFlowProvider initialNodes={graph.nodes} initialWidth={size.width} initialHeight={size.height}>
      <Canvas graph={graph} tools={tools} />
    </ReactFlowProvider>
  )
}

function Canvas({ graph, tools }: { graph: DrawnGraph; tools: Tools }) {
  const { nodes: drawn, edges } = graph
  const canvas = useStoreApi()
  const { view } = useEditor()
  useKnownSizes()
  const [begun] = useState<Camera>(() => {
    // Nodes that are added to an empty canvas stay where they are put.
    const only = onlyNode(view.getState())
    const aim = only === null ? null : shownBox(drawn, new Set([only]))
    const camera =
      drawn.length === 0
        ? { x: 0, y: 0, zoom: 1 }
        : openingView(nodeBoxes(drawn), freePart(canvas.getState()), aim)
    // Set before the first render, so that it is known from the start whether the graph is zoomed out.
    canvas.setState({ transform: [camera.x, camera.y, camera.zoom] })
    return camera
  })
  const extent = useExtent(graph)
  const { distant, bare, onlyVisible } = useDistance(drawn.length)
  const viewport = useViewportStore(begun, onlyVisible)
  const { frame, zoom } = useCanvasHandle(graph, viewport.flush, begun)
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
                // `SpacePan` does it: the canvas would let the wheel pan, too.
                panActivationKeyCode={null}
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
                minZoom={extent.least}
                maxZoom={2}
                {...viewport.props}
                aria-label="Graph of the draft"
              >
                <Overlays
                  isLarge={extent.isLarge}
                  zoom={zoom}
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

/** How far one can zoom out, and whether the graph needs an overview of itself. */
function useExtent({ nodes, direction }: DrawnGraph) {
  const canvas = useStoreApi()
  return useMemo(() => {
    const boxes = nodeBoxes(nodes)
    const room = freePart(canvas.getState())
    const isPartial = boxes.length > 8 || zoomOfAll(boxes, room) < READABLE
    return { least: leastZoom(boxes, room), isLarge: direction === 'right' && isPartial }
  }, [nodes, direction, canvas])
}

/** Everything on the canvas that is neither a node nor an edge of the canvas itself. */
function Overlays({
  isLarge,
  zoom,
  bare,
  edges,
  drag,
  onLayOut,
}: {
  isLarge: boolean
  zoom: ReturnType<typeof useZoom>
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
      {isLarge && <Minimap nodes={drag.nodes} colourOf={plain} className="max-md:hidden" />}
      <ZoomButtons zoom={zoom}>
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
