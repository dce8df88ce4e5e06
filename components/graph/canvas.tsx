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
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent as ReactKeyboardEvent,
  type MouseEvent as ReactMouseEvent,
  type RefObject,
} from 'react'
import { cn } from '@/components/ui/class-names'
import { statusText } from '@/components/ui/status'
import { useFrameLater } from '@/components/ui/frame-later'
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
import { StepEdge } from './step-edge'
import { Minimap } from './minimap'
import { ViewportProvider, useViewportStore } from './viewport'
import { useKnownSizes } from './known-sizes'
import { useSeek, type Sought } from './use-seek'
import { useLayout, type Positions } from './use-layout'
import { useZoom, ZoomButtons } from './zoom-buttons'

const nodeTypes = { card: Card, signal: Signal }
const edgeTypes = { step: StepEdge }

// The canvas treats every new object as a change, and compares all nodes then.
const NO_EDGES: Edge[] = []
const NO_NODES: CardNode[] = []

type Point = { readonly x: number; readonly y: number }
const ORIGIN: Point = { x: 0, y: 0 }

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
    type: 'step',
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

/** The smallest zoom at which cards are easy to read. */
const readable = 0.58

/** How much wider or narrower the canvas gets by a panel beside it, in pixels, at least. */
const RESIZED = 120

/** The margin around the whole graph, as a fraction of it. */
const PADDING = 0.1

type CanvasProps = {
  drawing: Drawing
  /** Positions of the definition; without them the graph is laid out. */
  positions?: Positions | undefined
  /** Cards show a status line. */
  run: boolean
  selected: string | null
  /** The node that was looked for last. */
  sought?: Sought | null
  onSelect: (id: string | null) => void
  /** Opens the pipeline that a node runs: Ctrl or Cmd with a double-click or Enter. */
  onEnter?: (id: string) => void
  className?: string
}

function labelOf(node: DrawnNode): string {
  const handled = node.handled ? ', handled' : ''
  const byHand = node.byHand ? ', by hand' : ''
  const status = node.status === null ? '' : `, ${statusText(node.status)}${handled}${byHand}`
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
        // Outside of the canvas, so that it covers no node.
        <p className="flex items-center gap-2 border-b border-line bg-surface px-4 py-1 text-xs text-muted">
          <span aria-hidden className="h-[3px] w-6 rounded-full bg-accent" />
          Critical path
        </p>
      )}
      <div ref={frame} className="relative min-h-0 w-full flex-1">
        {direction !== null && <Measured {...rest} direction={direction} key={direction} />}
      </div>
    </div>
  )
})

type MeasuredProps = Omit<CanvasProps, 'className'> & { direction: Direction }

/** Waits for the layout and the size of the canvas, so that the first frame shows every node at its position. */
function Measured(props: MeasuredProps) {
  const { drawing, positions, run, direction } = props
  const layout = useLayout(drawing, positions, run, direction)
  const nodes = useCards(props, layout)
  const element = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null)
  const isPlaced = layout !== null
  useLayoutEffect(() => {
    if (isPlaced && element.current !== null)
      setSize({ width: element.current.clientWidth, height: element.current.clientHeight })
  }, [isPlaced])
  if (size === null)
    return (
      <div ref={element} className="h-full w-full">
        <Arranging nodes={drawing.nodes.filter(({ kind }) => kind === 'task').length} />
      </div>
    )
  return (
    <ReactFlowProvider initialWidth={size.width} initialHeight={size.height}>
      <Drawn {...props} layout={layout} nodes={nodes} />
    </ReactFlowProvider>
  )
}

/** Delay of the message, in milliseconds: most layouts are done before. */
const MESSAGE_AFTER_MS = 400

function Arranging({ nodes }: { nodes: number }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), MESSAGE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p role="status" aria-busy className="grid h-full place-items-center text-muted">
      {late && `Arranging ${nodes} ${nodes === 1 ? 'node' : 'nodes'}…`}
    </p>
  )
}

/** The nodes for the canvas. A node that did not change is the same object as before. */
function useCards({ drawing, run, selected, direction }: MeasuredProps, layout: Layout | null): CardNode[] {
  const cards = useRef<CardNode[]>([])
  return useMemo(() => {
    if (layout === null) return []
    const { nodes } = drawing
    cards.current = reuseList<CardNode>(cards.current, nodes.length, (at, known) => {
      const drawn = nodes[at]!
      const old = known?.id === drawn.id && known.data.run === run ? known : undefined
      const position = layout.get(drawn.id) ?? ORIGIN
      const isSelected = drawn.id === selected
      const { data } = old ?? {}
      if (old?.position === position && data?.drawn === drawn && old.selected === isSelected) return old
      const size = sizeOf(drawn, run)
      // The same handles object means that edges to the node are not drawn again.
      const isInPlace =
        old?.position === position && data?.drawn.outcomes === drawn.outcomes && old.measured === size
      return {
        id: drawn.id,
        type: drawn.kind === 'signal' ? 'signal' : 'card',
        width: size.width,
        height: size.height,
        measured: size,
        position,
        handles: isInPlace ? old.handles! : handlesOf(drawn, direction, size),
        data: data?.drawn === drawn ? data : { drawn, direction, run },
        selected: isSelected,
        focusable: drawn.kind === 'task',
        selectable: drawn.kind === 'task',
        ariaLabel: labelOf(drawn),
      }
    })
    return cards.current
  }, [drawing, layout, selected, run, direction])
}

/** The camera moves of the graph: to the whole graph, and to one node. */
type Aim = {
  readonly selected: string | null
  readonly fit: (duration: number) => Promise<boolean>
  readonly centre: (id: string, zoom: number, duration: number) => void
}

/**
 * Shows the whole graph first; where that is too small to read, the selected node in a readable size. Later it moves a node that is
 * selected into view, because a panel that opens may hide it.
 */
function useAim(
  { drawing, run, selected, layout }: Pick<DrawnProps, 'drawing' | 'run' | 'selected' | 'layout'>,
  frame: RefObject<HTMLDivElement | null>,
  fit: Aim['fit'],
): RefObject<Aim> {
  const flow = useReactFlow()
  const canvas = useStoreApi()
  // The effects below need the latest values, and must not run again when those change.
  const aim = useRef<Aim>({ selected, fit, centre: () => {} })
  useEffect(() => {
    aim.current = {
      selected,
      fit,
      centre: (id, zoom, duration) => {
        const at = layout?.get(id)
        const node = drawing.nodes.find((each) => each.id === id)
        if (at === undefined || node === undefined) return
        const { width, height } = sizeOf(node, run)
        void flow.setCenter(at.x + width / 2, at.y + height / 2, { zoom, duration })
      },
    }
  })
  const fitted = useRef(layout)
  useEffect(() => {
    if (layout === null) return
    // The first layout is drawn in its place already.
    const isFirst = fitted.current === layout
    fitted.current = layout
    void (isFirst ? Promise.resolve() : aim.current.fit(0)).then(() => {
      const { selected: chosen, centre } = aim.current
      if (chosen !== null && flow.getZoom() < readable) centre(chosen, readable, 0)
    })
  }, [layout, flow])
  // A panel that opens or closes beside the graph changes its width: the whole graph is shown again.
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      const by = Math.abs(element.clientWidth - width)
      if (by < RESIZED) return
      width = element.clientWidth
      void aim.current.fit(150).then(() => {
        const { selected: chosen, centre } = aim.current
        if (chosen !== null && flow.getZoom() < readable) centre(chosen, readable, 0)
      })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [flow, frame])
  useEffect(() => {
    const at = selected === null ? undefined : layout?.get(selected)
    if (selected === null || at === undefined) return
    const timer = setTimeout(() => {
      const box = frame.current?.getBoundingClientRect()
      // The graph must not move by itself while the person drags it.
      if (box === undefined || canvas.getState().paneDragging) return
      const point = flow.flowToScreenPosition(at)
      const inside =
        point.x >= box.left && point.x + 180 < box.right && point.y >= box.top && point.y + 60 < box.bottom
      if (!inside) aim.current.centre(selected, flow.getZoom(), 150)
    }, 60)
    return () => clearTimeout(timer)
  }, [selected, layout, flow, canvas, frame])
  return aim
}

/** The zoom keys: 1 fits the graph, 0 is full size, + and - zoom. */
function useZoomKeys(zoom: ReturnType<typeof useZoom>): void {
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
}

/** Handlers that stay the same objects, so that the canvas does not compare all nodes when the callbacks change. */
function useHandlers({ onSelect, onEnter }: Pick<CanvasProps, 'onSelect' | 'onEnter'>) {
  const latest = useRef({ onSelect, onEnter })
  useLayoutEffect(() => {
    latest.current = { onSelect, onEnter }
  }, [onSelect, onEnter])
  const [handlers] = useState(() => {
    const onSelect = (id: string) => latest.current.onSelect(id)
    const onEnter = (id: string) => latest.current.onEnter?.(id)
    const canvas = {
      onNodesChange: (changes: NodeChange<CardNode>[]) => {
        for (const change of changes) if (change.type === 'select' && change.selected) onSelect(change.id)
      },
      onPaneClick: () => latest.current.onSelect(null),
      onNodeDoubleClick: (event: ReactMouseEvent, { id }: CardNode) => {
        if (event.ctrlKey || event.metaKey) onEnter(id)
      },
      onKeyDownCapture: (event: ReactKeyboardEvent) => {
        const id = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset['id']
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || id === undefined) return
        // The canvas would select the node as well.
        event.stopPropagation()
        onEnter(id)
      },
    }
    return { canvas, onSelect, onEnter }
  })
  return handlers
}

type DrawnProps = MeasuredProps & { layout: Layout | null; nodes: CardNode[] }

function Drawn(props: DrawnProps) {
  const { drawing, direction, nodes, layout } = props
  const canvas = useStoreApi()
  useKnownSizes()
  const [begun] = useState<Viewport>(() => {
    const { width, height } = canvas.getState()
    const whole = getViewportForBounds(getNodesBounds(nodes), width, height, WHOLE, 1, PADDING)
    // Set before the first render, so that it is known from the start whether the graph is zoomed out.
    canvas.setState({ transform: [whole.x, whole.y, whole.zoom] })
    return whole
  })
  const frame = useRef<HTMLDivElement>(null)
  const [wire] = useState(() => memoizeMap(wireOf))
  // Edges are drawn a frame after the nodes, and the overview after them: together they would make a long frame of a large graph.
  const later = useFrameLater(
    useMemo(() => ({ nodes, edges: drawing.edges }), [nodes, drawing.edges]),
    layout,
  )
  const overview = useFrameLater(later.nodes, layout)
  const edges = useMemo(() => wire(later.edges), [wire, later.edges])
  const { distant, bare, onlyVisible } = useDistance(drawing.nodes.length)
  const viewport = useViewportStore(begun, onlyVisible)
  const zoom = useZoom(bare ? nodes : null)
  const aim = useAim(props, frame, zoom.fit)
  useZoomKeys(zoom)
  useSeek(props.sought ?? null, () => nodes)
  const handlers = useHandlers(props)

  const isBig = direction === 'right' && drawing.nodes.length > 8
  const shownNodes = bare ? NO_NODES : nodes
  const shownEdges = bare ? NO_EDGES : edges
  // Zoomed out, nodes are drawn beside the canvas: a change of a node does not render the canvas again.
  const flowing = useMemo(
    () => (
      <ReactFlow
        ref={frame}
        nodes={shownNodes}
        edges={shownEdges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        {...handlers.canvas}
        zoomOnDoubleClick={false}
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
    [shownNodes, shownEdges, handlers.canvas, onlyVisible, viewport.props, begun.zoom, aim],
  )
  return (
    <Distance value={distant}>
      <ViewportProvider value={viewport.store}>
        {flowing}
        {bare && <DistantEdges nodes={later.nodes} edges={edges} />}
        {bare && <DistantNodes nodes={nodes} onSelect={handlers.onSelect} onEnter={handlers.onEnter} />}
        {isBig && <Minimap nodes={overview} colourOf={colourOf} />}
      </ViewportProvider>
    </Distance>
  )
}
