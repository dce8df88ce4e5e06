'use client'

import {
  Background,
  BackgroundVariant,
  MiniMap,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  type NodeChange,
} from '@xyflow/react'
import { Search } from 'lucide-react'
import { useCallback } from 'react'
import type { Tools } from '@/components/editor/commands'
import { useEditor, useView } from '@/components/editor/editor-context'
import { Card, Signal } from '@/components/graph/card'
import { CornerButton, ZoomButtons } from '@/components/graph/zoom-buttons'
import { Palette } from './add-node'
import { Wire } from './canvas-edge'
import { CanvasMenu } from './canvas-menu'
import { EmptyCanvas, PathBar } from './canvas-notices'
import { FindNode } from './find-node'
import { NoteCard } from './note-card'
import { useCanvasHandle } from './use-canvas-handle'
import { useDrag } from './use-drag'
import { useDrawnGraph, type Shown } from './use-drawn-graph'
import { isConnection, useConnecting } from './use-connecting'
import { useChoosing } from './use-choosing'

const nodeTypes = { card: Card, signal: Signal, note: NoteCard }
const edgeTypes = { wire: Wire }

// The canvas takes every new object for a change, and lets all that is drawn look at it.
const FIT = { padding: 0.12, maxZoom: 1 }
const OVERVIEW = { width: 144, height: 88 }

/** From here on only what is in sight is in the page. */
const MANY = 150

/**
 * The graph of the draft: nodes are put, moved and named, edges are drawn from the handles of outcomes and led elsewhere. What hands
 * do becomes an edit of the draft when they let go.
 */
export function EditCanvas({ tools }: { tools: Tools }) {
  return (
    <ReactFlowProvider>
      <Canvas tools={tools} />
    </ReactFlowProvider>
  )
}

function Canvas({ tools }: { tools: Tools }) {
  const { view } = useEditor()
  const { flow, nodes: drawn, edges } = useDrawnGraph()
  const frame = useCanvasHandle(flow)
  const drag = useDrag(flow, drawn)
  const choose = useChoosing(tools)
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
  return (
    <>
      <CanvasMenu tools={tools}>
        <div className="relative h-full w-full" ref={frame}>
          <ReactFlow
            nodes={drag.nodes}
            edges={edges}
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
            onlyRenderVisibleElements={drawn.length > MANY}
            minZoom={0.05}
            maxZoom={2}
            fitView
            fitViewOptions={FIT}
            aria-label="Graph of the draft"
          >
            <Background variant={BackgroundVariant.Dots} gap={24} size={1.2} />
            {drawn.length > 8 && (
              <MiniMap
                pannable
                zoomable
                className="max-md:hidden"
                ariaLabel="Overview of the graph"
                style={OVERVIEW}
                nodeColor="var(--line-strong)"
              />
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
          {drawn.length === 0 && <EmptyCanvas />}
        </div>
      </CanvasMenu>
      <Palette />
    </>
  )
}
