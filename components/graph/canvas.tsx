'use client'

import {
  getNodesBounds,
  getViewportForBounds,
  MarkerType,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
  type Edge,
  type NodeChange,
  type Viewport,
} from '@xyflow/react'
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type MouseEvent as ReactMouseEvent,
} from 'react'
import { cn } from '@/components/ui/class-names'
import { statusText } from '@/components/ui/status'
import { isTyping } from '@/components/ui/typing'
import { Card, handlesOf, Signal, type CardNode } from './card'
import { DistantEdges } from './distant-edges'
import { DistantNodes } from './distant-nodes'
import { Distance, leastZoom, useDistance, WHOLE } from './distance'
import { Ground } from './ground'
import { PointerShield } from './pointer-shield'
import { memoizeMap, reuseList } from './model/memoize'
import { itemsText, type Drawing, type DrawnEdge, type DrawnNode } from './model/drawing'
import { sizeOf, type Direction, type Layout } from './model/layout'
import { Minimap } from './minimap'
import { ViewportProvider, useViewportStore } from './viewport'
import { useKnownSizes } from './known-sizes'
import { useLayout, type Positions } from './use-layout'
import { useZoom, ZoomButtons } from './zoom-buttons'

const nodeTypes = { card: Card, signal: Signal }

// The canvas takes every new object for a change, and lets all that is drawn look at it.
const NO_EDGES: Edge[] = []
const NO_NODES: CardNode[] = []

type Place = { readonly x: number; readonly y: number }
const NOWHERE: Place = { x: 0, y: 0 }

function colourOf({ data: { drawn } }: CardNode): string {
  const { status } = drawn
  return status === null ? 'var(--line-strong)' : `var(--${status.replaceAll('_', '-')}, var(--line-strong))`
}

/** What the canvas draws of an edge. */
function wireOf(edge: DrawnEdge): Edge {
  return {
    id: edge.id,
    source: edge.from,
    target: edge.to,
    sourceHandle: edge.port,
    type: 'smoothstep',
    focusable: false,
    selectable: false,
    interactionWidth: 0,
    ...(edge.label === null ? {} : { label: edge.label }),
    labelBgPadding: [5, 2],
    labelBgBorderRadius: 4,
    className: cn(
      edge.critical && 'critical',
      edge.state === 'taken' && 'taken',
      edge.state === 'dead' && 'dead',
      edge.flowing && 'flowing',
      edge.outcome === 'reads' && 'reads',
      edge.change,
    ),
    zIndex: edge.critical ? 1 : 0,
    markerEnd: edge.critical ? CRITICAL_ARROW : ARROW,
  }
}

const ARROW = { type: MarkerType.ArrowClosed, width: 16, height: 16, color: 'var(--line-strong)' }
const CRITICAL_ARROW = { type: MarkerType.ArrowClosed, width: 10, height: 10, color: 'var(--accent)' }

/** The smallest zoom at which cards can be read without effort. */
const readable = 0.58

/** The room around the whole graph, as a part of it. */
const PADDING = 0.1

type CanvasProps = {
  drawing: Drawing
  /** Positions of the definition; without them the graph is laid out. */
  positions?: Positions | undefined
  /** Cards show a status line. */
  run: boolean
  selected: string | null
  onSelect: (id: string | null) => void
  /** Goes into what a node runs: double-click, or Enter, with Ctrl or Cmd held. */
  onEnter?: (id: string) => void
  className?: string
}

function spoken(node: DrawnNode): string {
  const handled = node.handled ? ', handled' : ''
  const status = node.status === null ? '' : `, ${statusText(node.status)}${handled}`
  const what = node.child === null ? node.task : `runs ${node.child.pipeline}`
  const items = node.items === null ? '' : `, items: ${itemsText(node.items)}`
  const change = node.change === undefined ? '' : `, ${node.change}`
  return `${node.name}, ${what}${status}${items}${node.critical ? ', on the critical path' : ''}${change}`
}

/** The graph of a pipeline or a run: pan, zoom, fit, minimap; nodes take the focus and open with Enter. */
export const GraphCanvas = memo(function GraphCanvas({ className, ...rest }: CanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [direction, setDirection] = useState<Direction | null>(null)
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0)
        setDirection(entry.contentRect.width < 560 ? 'down' : 'right')
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div className={cn('relative flex h-full w-full flex-col', className)}>
      {rest.drawing.edges.some((edge) => edge.critical) && (
        // Beside the canvas, so that it covers nothing that is drawn.
        <p className="flex items-center gap-2 border-b border-line bg-surface px-4 py-1 text-xs text-muted">
          <span aria-hidden className="h-[3px] w-6 rounded-full bg-accent" />
          Critical path
        </p>
      )}
      <div ref={frame} className="relative min-h-0 w-full flex-1">
        {direction !== null && <Placed {...rest} direction={direction} key={direction} />}
      </div>
    </div>
  )
})

type PlacedProps = Omit<CanvasProps, 'className'> & { direction: Direction }

/** Waits until it is known where everything stands and how much room there is: then the first frame stands as the graph will stand. */
function Placed(props: PlacedProps) {
  const { drawing, positions, run, direction } = props
  const layout = useLayout(drawing, positions, run, direction)
  const nodes = useCards(props, layout)
  const room = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null)
  const isPlaced = layout !== null
  useLayoutEffect(() => {
    if (isPlaced && room.current !== null)
      setSize({ width: room.current.clientWidth, height: room.current.clientHeight })
  }, [isPlaced])
  if (size === null)
    return (
      <div ref={room} className="h-full w-full">
        <Arranging nodes={drawing.nodes.length} />
      </div>
    )
  return (
    <ReactFlowProvider initialWidth={size.width} initialHeight={size.height}>
      <Drawn {...props} layout={layout} nodes={nodes} />
    </ReactFlowProvider>
  )
}

/** Most graphs are placed before one could read that they are. Milliseconds. */
const TOLD_AFTER_MS = 400

function Arranging({ nodes }: { nodes: number }) {
  const [told, setTold] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setTold(true), TOLD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p role="status" aria-busy className="grid h-full place-items-center text-muted">
      {told && `Arranging ${nodes} ${nodes === 1 ? 'node' : 'nodes'}…`}
    </p>
  )
}

/** What the canvas shows of the nodes: the same object tells it that nothing about a card changed. */
function useCards({ drawing, run, selected, direction }: PlacedProps, layout: Layout | null): CardNode[] {
  const cards = useRef<CardNode[]>([])
  return useMemo(() => {
    if (layout === null) return []
    const { nodes } = drawing
    cards.current = reuseList<CardNode>(cards.current, nodes.length, (at, known) => {
      const drawn = nodes[at]!
      const old = known?.id === drawn.id && known.data.run === run ? known : undefined
      const place = layout.get(drawn.id) ?? NOWHERE
      const isSelected = drawn.id === selected
      const { data } = old ?? {}
      if (old?.position === place && data?.drawn === drawn && old.selected === isSelected) return old
      const size = sizeOf(drawn, run)
      // What only looks different stands where it stood: the lines to it are not drawn anew.
      const stands =
        old?.position === place && data?.drawn.outcomes === drawn.outcomes && old.measured === size
      return {
        id: drawn.id,
        type: drawn.kind === 'signal' ? 'signal' : 'card',
        width: size.width,
        height: size.height,
        measured: size,
        position: place,
        handles: stands ? old.handles! : handlesOf(drawn, direction, size),
        data: data?.drawn === drawn ? data : { drawn, direction, run },
        selected: isSelected,
        focusable: drawn.kind === 'task',
        selectable: drawn.kind === 'task',
        ariaLabel: spoken(drawn),
      }
    })
    return cards.current
  }, [drawing, layout, selected, run, direction])
}

function Drawn({
  drawing,
  run,
  selected,
  onSelect,
  onEnter,
  direction,
  layout,
  nodes,
}: PlacedProps & { layout: Layout | null; nodes: CardNode[] }) {
  const flow = useReactFlow()
  const canvas = useStoreApi()
  useKnownSizes()
  const [begun] = useState<Viewport>(() => {
    const { width, height } = canvas.getState()
    const whole = getViewportForBounds(getNodesBounds(nodes), width, height, WHOLE, 1, PADDING)
    // Nothing has looked at it yet: from the first look on it is known whether the graph is seen from far.
    canvas.setState({ transform: [whole.x, whole.y, whole.zoom] })
    return whole
  })
  const frame = useRef<HTMLDivElement>(null)

  const [wire] = useState(() => memoizeMap(wireOf))
  const edges = useMemo(() => wire(drawing.edges), [wire, drawing.edges])

  const { distant, bare, onlyVisible } = useDistance(drawing.nodes.length)
  const viewport = useViewportStore(begun, onlyVisible)
  const zoom = useZoom(bare ? nodes : null)
  // What the effects below need as it is when they run, not as a reason to run.
  const aim = useRef({
    selected,
    fit: zoom.fit,
    centre: (_id: string, _zoom: number, _duration: number) => {},
  })
  useEffect(() => {
    aim.current = {
      selected,
      fit: zoom.fit,
      centre: (id, zoom, duration) => {
        const at = layout?.get(id)
        const node = drawing.nodes.find((each) => each.id === id)
        if (at === undefined || node === undefined) return
        const { width, height } = sizeOf(node, run)
        void flow.setCenter(at.x + width / 2, at.y + height / 2, { zoom, duration })
      },
    }
  })
  // First the whole graph, as it stands from the beginning; if that is too small to read, the selected node in a size that is not.
  const fitted = useRef(layout)
  useEffect(() => {
    if (layout === null) return
    const begins = fitted.current === layout
    fitted.current = layout
    void (begins ? Promise.resolve() : aim.current.fit(0)).then(() => {
      const { selected: chosen, centre } = aim.current
      if (chosen !== null && flow.getZoom() < readable) centre(chosen, readable, 0)
    })
  }, [layout, flow])
  // A node that is selected must not hide behind the panel that opens for it.
  useEffect(() => {
    const at = selected === null ? undefined : layout?.get(selected)
    if (selected === null || at === undefined) return
    const timer = setTimeout(() => {
      const box = frame.current?.getBoundingClientRect()
      // Below a button that is held nothing may move by itself.
      if (box === undefined || canvas.getState().paneDragging) return
      const point = flow.flowToScreenPosition(at)
      const inside =
        point.x >= box.left && point.x + 180 < box.right && point.y >= box.top && point.y + 60 < box.bottom
      if (!inside) aim.current.centre(selected, flow.getZoom(), 150)
    }, 60)
    return () => clearTimeout(timer)
  }, [selected, layout, flow, canvas])

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '1') void zoom.fit()
      else if (event.key === '0') zoom.zoomTo(1)
      else if (event.key === '+') zoom.zoomIn()
      else if (event.key === '-') zoom.zoomOut()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [zoom])

  const told = useRef({ onSelect, onEnter })
  useLayoutEffect(() => {
    told.current = { onSelect, onEnter }
  }, [onSelect, onEnter])
  const select = useCallback((changes: NodeChange<CardNode>[]) => {
    for (const change of changes)
      if (change.type === 'select' && change.selected) told.current.onSelect(change.id)
  }, [])
  const leave = useCallback(() => told.current.onSelect(null), [])
  const enter = useCallback((event: ReactMouseEvent, { id }: CardNode) => {
    if (event.ctrlKey || event.metaKey) told.current.onEnter?.(id)
  }, [])

  const isBig = direction === 'right' && drawing.nodes.length > 8
  const shownNodes = bare ? NO_NODES : nodes
  const shownEdges = bare ? NO_EDGES : edges
  // Seen from far nothing of the canvas is another when a node is: they are drawn beside it.
  const flowing = useMemo(
    () => (
      <ReactFlow
        ref={frame}
        nodes={shownNodes}
        edges={shownEdges}
        nodeTypes={nodeTypes}
        onNodesChange={select}
        onPaneClick={leave}
        onNodeDoubleClick={enter}
        zoomOnDoubleClick={false}
        onKeyDownCapture={(event) => {
          const id = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset['id']
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || id === undefined) return
          // The canvas would select it, and lead back here.
          event.stopPropagation()
          told.current.onEnter?.(id)
        }}
        nodesDraggable={false}
        nodesConnectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        onlyRenderVisibleElements={onlyVisible}
        minZoom={leastZoom(begun.zoom)}
        maxZoom={2}
        {...viewport.props}
        aria-label="Graph"
      >
        <Ground />
        <PointerShield />
        <ZoomButtons fit={() => void aim.current.fit(150)} />
      </ReactFlow>
    ),
    [shownNodes, shownEdges, select, leave, enter, onlyVisible, viewport.props, begun.zoom],
  )
  return (
    <Distance value={distant}>
      <ViewportProvider value={viewport.store}>
        {flowing}
        {bare && <DistantEdges nodes={nodes} edges={edges} />}
        {bare && <DistantNodes nodes={nodes} onSelect={onSelect} onEnter={(id) => onEnter?.(id)} />}
        {isBig && <Minimap nodes={nodes} colourOf={colourOf} />}
      </ViewportProvider>
    </Distance>
  )
}
