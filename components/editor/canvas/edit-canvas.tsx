'use client'

import {
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useStoreApi,
  type NodeChange,
  type Viewport,
} from '@xyflow/react'
import { Search } from 'lucide-react'
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
import { useSelecting } from './use-choosing'

const nodeTypes = { card: Card, signal: Signal, note: NoteCard }
const edgeTypes = { wire: Wire }

// The canvas takes every new object for a change, and lets all that is drawn look at it.
const FIT = { padding: 0.12, maxZoom: 1 }
const plain = () => 'var(--line-strong)'

/**
 * The graph of the draft: nodes are put, moved and named, edges are drawn from the handles of outcomes and led elsewhere. What hands
 * do becomes an edit of the draft when they let go.
 */
export function EditCanvas({ tools }: { tools: Tools }) {
  const graph = useDrawnGraph()
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The form of the node that the address names takes its room first.
    const frame = requestAnimationFrame(() => {
      const { clientWidth, clientHeight } = place.current!
      setSize({ width: clientWidth, height: clientHeight })
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div ref={place} className="h-full w-full">
      {size !== null && (
        // Knowing its size and its nodes, the canvas draws them where they will stand, once.
        <ReactFlowProvider
          initialNodes={graph.nodes}
          initialWidth={size.width}
          initialHeight={size.height}
          // What is put into an empty one stays where it is put.
          fitView={graph.nodes.length > 0}
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
  const { view } = useEditor()
  const { flow, nodes: drawn, edges } = graph
  const canvas = useStoreApi()
  useKnownSizes()
  const [begun] = useState<Viewport>(() => {
    const [x, y, zoom] = canvas.getState().transform
    return { x, y, zoom }
  })
  const { distant, bare, onlyVisible } = useDistance(drawn.length)
  const viewport = useViewportStore(begun, onlyVisible)
  const frame = useCanvasHandle(flow, viewport.flush)
  const drag = useDrag(graph, bare)
  const choose = useSelecting(tools)
  const { onChange } = drag
  const onNodesChange = useCallback(
    (changes: NodeChange<Shown>[]) => {
      onChange(changes)
      choose.nodes(changes)
    },
    [onChange, choose],
  )
  const connecting = useConnecting()
  const searching = useView((state) => state.searching)
  const dropEdge = useView((state) => state.dropEdge)
  // What is done to an edge is done to one that is chosen: it keeps its handles and its bar.
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
                onEdgesChange={choose.edges}
                onNodeDragStart={drag.onStart}
                onNodeDrag={drag.onDrag}
                onNodeDragStop={drag.onStop}
                onSelectionDragStart={drag.onSelectionStart}
                onSelectionDragStop={drag.onSelectionStop}
                {...connecting}
                isValidConnection={isConnection}
                onNodeDoubleClick={choose.open}
                onNodeContextMenu={choose.forMenu}
                onEdgeContextMenu={choose.edgeForMenu}
                onKeyDown={choose.key}
                deleteKeyCode={null}
                // The keys are those of the table of commands.
                disableKeyboardA11y
                // A node that is only moved opens no panel.
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
                <Ground />
                <PointerShield dragging={drag.dragging} />
                <SpacePan />
                {bare && <DistantEdges nodes={drag.nodes} edges={edges} lifted={drag.lifted} />}
                {drawn.length > 8 && (
                  <Minimap nodes={drag.nodes} colourOf={plain} className="max-md:hidden" />
                )}
                <ZoomButtons>
                  <CornerButton name="Find a node" onClick={() => view.setState({ searching: true })}>
                    <Search aria-hidden />
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
