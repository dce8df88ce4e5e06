'use client'

import { MarkerType, ReactFlow, ReactFlowProvider, useStoreApi, type NodeChange } from '@xyflow/react'
import {
  memo,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent as ReactKeyboardEvent,
  type MouseEvent as ReactMouseEvent,
} from 'react'
import { cn } from '@/components/ui/class-names'
import { statusText } from '@/components/ui/status'
import { useFrameLater } from '@/components/ui/frame-later'
import { isTyping } from '@/components/ui/typing'
import { Card, handlesOf, shownStatus, Signal, type CardNode } from './card'
import { DistantEdges } from './distant-edges'
import { DistantNodes } from './distant-nodes'
import { Distance, useDistance } from './distance'
import { Ground } from './ground'
import { PointerShield } from './pointer-shield'
import { GroupCard } from './group-card'
import type { Point, Size } from './model/boxes'
import { freePart, leastZoom, NARROW, openingView, READABLE, zoomOfAll, type Camera } from './model/camera'
import { memoizeMap, reuseList } from './model/memoize'
import { itemsText, type Drawing, type DrawnEdge, type DrawnNode } from './model/drawing'
import { countsText, isGroup, type Folded } from './model/fold'
import { CARD, sizeOf, withOpen, type Direction, type Layout } from './model/layout'
import { aimOf, cardBoxes, useAim } from './use-aim'
import { useFolded, useOpenGroups, type OpenGroups } from './use-folded'
import { routerOf, type Router } from './routes'
import { StepEdge, type StepEdgeData } from './step-edge'
import { Minimap } from './minimap'
import { ViewportProvider, useViewportStore } from './viewport'
import { useKnownSizes } from './known-sizes'
import { useSeek, type Sought } from './use-seek'
import { useLayout, type Positions } from './use-layout'
import { useZoom, ZoomButtons } from './zoom-buttons'

const nodeTypes = { card: Card, signal: Signal, group: GroupCard }
const edgeTypes = { step: StepEdge }

// The canvas treats every new object as a change, and compares all nodes then.
const NO_EDGES: StepEdgeData[] = []
const NO_NODES: CardNode[] = []

const ORIGIN: Point = { x: 0, y: 0 }

function colourOf({ data: { drawn } }: CardNode): string {
  const { status } = drawn
  return status === null ? 'var(--line-strong)' : `var(--${status.replaceAll('_', '-')}, var(--line-strong))`
}

/** What the canvas draws of an edge. */
function wireOf(edge: DrawnEdge, router: Router | null): StepEdgeData {
  return {
    id: edge.id,
    source: edge.from,
    target: edge.to,
    sourceHandle: edge.port,
    type: 'step',
    data: { way: router?.(edge) ?? null },
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
  const byHand = `${node.byHand ? ', by hand' : ''}${node.reused ? ', reused' : ''}`
  const status =
    node.status === null ? '' : `, ${statusText(shownStatus(node) ?? node.status)}${handled}${byHand}`
  if (node.group !== undefined) {
    const counts = countsText(node.group)
    const parts = [`${node.name} of ${node.task}`, node.group.names.join(' to '), counts].filter(Boolean)
    return `${parts.join(', ')}${node.critical ? ', on the critical path' : ''}. Open`
  }
  const what = node.child === null ? node.task : `runs ${node.child.pipeline}`
  const items = node.items === null ? '' : `, items: ${itemsText(node.items)}`
  const change = node.change === undefined ? '' : `, ${node.change}`
  return `${node.name}, ${what}${status}${items}${node.critical ? ', on the critical path' : ''}${change}`
}

/** The graph of a pipeline or a run: pan, zoom, fit, minimap; nodes take the focus and open with Enter. */
export const GraphCanvas = memo(function GraphCanvas({ className, ...rest }: CanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [direction, setDirection] = useState<Direction | null>(null)
  const groups = useOpenGroups()
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0)
        setDirection(entry.contentRect.width < NARROW ? 'down' : 'right')
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
        {direction !== null && <Measured {...rest} direction={direction} groups={groups} key={direction} />}
      </div>
    </div>
  )
})

type MeasuredProps = Omit<CanvasProps, 'className'> & { direction: Direction; groups: OpenGroups }

/** Waits for the layout and the size of the canvas, so that the first frame shows every node at its position. */
function Measured(props: MeasuredProps) {
  const { positions, direction, groups } = props
  const closed = useFolded(props.drawing)
  const drawing = useFolded(props.drawing, groups.opened, props.selected)
  const closedLayout = useLayout(closed, positions, direction)
  const layout = closedLayout === null ? null : withOpen(drawing, closedLayout, direction)
  const nodes = useCards({ ...props, drawing }, layout)
  const element = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size | null>(null)
  const isPlaced = layout !== null
  useLayoutEffect(() => {
    if (isPlaced && element.current !== null)
      setSize({ width: element.current.clientWidth, height: element.current.clientHeight })
  }, [isPlaced])
  if (size === null)
    return (
      <div ref={element} className="h-full w-full">
        <Arranging nodes={props.drawing.nodes.filter(({ kind }) => kind === 'task').length} />
      </div>
    )
  return (
    <ReactFlowProvider initialWidth={size.width} initialHeight={size.height}>
      <Drawn {...props} drawing={drawing} layout={layout} nodes={nodes} />
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
function useCards(
  { drawing, run, selected, direction, groups }: Omit<MeasuredProps, 'drawing'> & { drawing: Folded },
  layout: Layout | null,
): CardNode[] {
  const cards = useRef<CardNode[]>([])
  const { toggle } = groups
  return useMemo(() => {
    if (layout === null) return []
    const { nodes } = drawing
    const shown = selected === null ? null : (drawing.cards.get(selected) ?? selected)
    cards.current = reuseList<CardNode>(cards.current, nodes.length, (at, known) => {
      const drawn = nodes[at]!
      const old = known?.id === drawn.id && known.data.run === run ? known : undefined
      const position = layout.get(drawn.id) ?? ORIGIN
      const isFrame = drawn.group?.open === true
      const isSelected = !isFrame && (drawn.id === selected || drawn.id === shown)
      const chosen = drawn.group !== undefined && isSelected ? (selected ?? undefined) : undefined
      const { data } = old ?? {}
      const isOld = data?.drawn === drawn && data.chosen === chosen
      if (old?.position === position && isOld && old.selected === isSelected) return old
      const size = sizeOf(drawn, direction)
      // The same handles object means that edges to the node are not drawn again.
      const isInPlace =
        old?.position === position && data?.drawn.outcomes === drawn.outcomes && old.measured === size
      return {
        id: drawn.id,
        type: drawn.kind === 'task' ? 'card' : drawn.kind,
        width: size.width,
        height: size.height,
        measured: size,
        position,
        handles: isInPlace ? old.handles! : handlesOf(drawn, direction, size),
        data: isOld
          ? data
          : { drawn, direction, run, ...(drawn.kind === 'group' ? { onOpen: toggle, chosen } : {}) },
        selected: isSelected,
        focusable: drawn.kind !== 'signal' && !isFrame,
        selectable: drawn.kind !== 'signal' && !isFrame,
        ...(isFrame ? { className: 'open-group' } : {}),
        ariaLabel: labelOf(drawn),
      }
    })
    return cards.current
  }, [drawing, layout, selected, run, direction, toggle])
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

/** How far one can zoom out, and whether the graph needs an overview of itself. */
function useExtent(layout: Layout | null, direction: Direction) {
  const canvas = useStoreApi()
  return useMemo(() => {
    const boxes = [...(layout?.values() ?? [])].map((at) => ({ ...at, ...CARD }))
    const room = freePart(canvas.getState())
    const isPartial = boxes.length > 8 || zoomOfAll(boxes, room) < READABLE
    return { least: leastZoom(boxes, room), isBig: direction === 'right' && isPartial }
  }, [layout, direction, canvas])
}

/** Handlers that stay the same objects, so that the canvas does not compare all nodes when the callbacks change. */
function useHandlers({ onSelect, onEnter, groups }: Pick<DrawnProps, 'onSelect' | 'onEnter' | 'groups'>) {
  const latest = useRef({ onSelect, onEnter, groups })
  useLayoutEffect(() => {
    latest.current = { onSelect, onEnter, groups }
  }, [onSelect, onEnter, groups])
  const [handlers] = useState(() => {
    const onSelect = (id: string) => {
      if (isGroup(id)) latest.current.groups.toggle(id)
      else latest.current.onSelect(id)
    }
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

/** Opens the group in which a node that was looked for is folded. */
function useOpenFor(sought: Sought | null, { cards }: Folded, { opened, toggle }: OpenGroups): void {
  const open = useEffectEvent((node: string) => {
    const card = cards.get(node)
    if (card !== undefined && !opened.has(card)) toggle(card)
  })
  useEffect(() => {
    if (sought !== null) open(sought.node)
  }, [sought])
}

type DrawnProps = Omit<MeasuredProps, 'drawing'> & {
  drawing: Folded
  layout: Layout | null
  nodes: CardNode[]
}

function Drawn(props: DrawnProps) {
  const { drawing, direction, nodes, layout, groups, selected } = props
  const canvas = useStoreApi()
  useKnownSizes()
  const [begun] = useState<Camera>(() => {
    const view = openingView(cardBoxes(nodes), freePart(canvas.getState()), aimOf(nodes, selected))
    // Set before the first render, so that it is known from the start whether the graph is zoomed out.
    canvas.setState({ transform: [view.x, view.y, view.zoom] })
    return view
  })
  const frame = useRef<HTMLDivElement>(null)
  const router = layout === null ? null : routerOf(layout, nodes, drawing.edges)
  const wire = useMemo(() => memoizeMap((edge: DrawnEdge) => wireOf(edge, router)), [router])
  // Edges are drawn a frame after the nodes, and the overview after them: together they would make a long frame of a large graph.
  const later = useFrameLater(
    useMemo(() => ({ nodes, edges: drawing.edges }), [nodes, drawing.edges]),
    layout,
  )
  const overview = useFrameLater(later.nodes, layout)
  const edges = useMemo(() => wire(later.edges), [wire, later.edges])
  const { distant, bare, onlyVisible } = useDistance(drawing.nodes.length)
  const viewport = useViewportStore(begun, onlyVisible)
  const zoom = useZoom(nodes)
  useAim({ nodes, layout, selected, focus: groups.last, begun }, frame)
  useZoomKeys(zoom)
  useSeek(props.sought ?? null, () => nodes)
  useOpenFor(props.sought ?? null, drawing, groups)
  const handlers = useHandlers(props)
  const { least, isBig } = useExtent(layout, direction)

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
        panActivationKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        onlyRenderVisibleElements={onlyVisible}
        minZoom={least}
        maxZoom={2}
        {...viewport.props}
        aria-label="Graph"
      >
        <Ground />
        <PointerShield />
        <ZoomButtons zoom={zoom} />
      </ReactFlow>
    ),
    [shownNodes, shownEdges, handlers.canvas, onlyVisible, viewport.props, least, zoom],
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
