'use client'

import { Panel, useReactFlow, useStore, type Node } from '@xyflow/react'
import { useEffect, useMemo, useRef, useState, type PointerEvent } from 'react'
import { cn } from '@/components/ui/class-names'
import { inBlocks, strokesOf } from './blocks'
import { useViewportEffect } from './viewport'

/** Pixels of the screen. */
const [WIDTH, HEIGHT] = [144, 88]
const MARGIN = 8

/** How far one notch of the wheel zooms. */
const NOTCH = 1.2

type Shape = Pick<Node, 'position' | 'width' | 'height'>

/**
 * The whole graph in a corner, with the visible part marked: a press or a drag goes there, the wheel zooms. Its nodes are drawn as a few
 * paths, so that a frame in which some of thousands of nodes change costs only as much as those do.
 */
export function Minimap<T extends Shape>({
  nodes,
  colourOf,
  className,
}: {
  nodes: readonly T[]
  /** Must be the same function at every render. */
  colourOf: (node: T) => string
  className?: string
}) {
  const flow = useReactFlow()
  const [draw] = useState(() =>
    inBlocks((members: readonly T[]) => ({
      strokes: strokesOf(members.map((node) => ({ look: colourOf(node), path: box(node) }))),
      bounds: boundsOf(members),
    })),
  )
  const blocks = useMemo(() => draw(nodes), [draw, nodes])
  const bounds = around(blocks.map((block) => block.bounds))
  // The position of the graph in the overview does not depend on the viewport: a pan moves one frame and nothing else.
  const scale = Math.max(bounds.width / (WIDTH - 2 * MARGIN), bounds.height / (HEIGHT - 2 * MARGIN))
  const [left, top] = [
    bounds.x + (bounds.width - WIDTH * scale) / 2,
    bounds.y + (bounds.height - HEIGHT * scale) / 2,
  ]
  const [wide, high] = [WIDTH * scale, HEIGHT * scale]

  const frame = useRef<SVGSVGElement>(null)
  useEffect(() => {
    const turn = (event: WheelEvent) => {
      event.preventDefault()
      void flow.zoomTo(flow.getZoom() * (event.deltaY < 0 ? NOTCH : 1 / NOTCH))
    }
    const element = frame.current
    // React registers wheel listeners as passive, and those cannot prevent the default.
    element?.addEventListener('wheel', turn, { passive: false })
    return () => element?.removeEventListener('wheel', turn)
  }, [flow])
  const goTo = (event: PointerEvent<SVGSVGElement>) => {
    const { left: edgeX, top: edgeY } = event.currentTarget.getBoundingClientRect()
    const [toX, toY] = [event.clientX - edgeX, event.clientY - edgeY]
    void flow.setCenter(left + toX * scale, top + toY * scale, { zoom: flow.getZoom() })
  }
  return (
    <Panel position="bottom-right" className={cn('overflow-hidden rounded-md border border-line', className)}>
      <svg
        ref={frame}
        role="img"
        aria-label="Overview of the graph"
        width={WIDTH}
        height={HEIGHT}
        viewBox={`${left} ${top} ${wide} ${high}`}
        className="block cursor-crosshair touch-none bg-surface"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          goTo(event)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) goTo(event)
        }}
      >
        {blocks.map(({ strokes }, at) =>
          strokes.map(({ look, path }) => <path key={`${at} ${look}`} d={path} style={{ fill: look }} />),
        )}
        <Visible whole={`M${left} ${top}h${wide}v${high}h${-wide}z`} />
      </svg>
    </Panel>
  )
}

/** Dims what is outside of the viewport. A component of its own: at every step of a pan only this changes. */
function Visible({ whole }: { whole: string }) {
  const path = useRef<SVGPathElement>(null)
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  useViewportEffect(({ x, y, zoom }) => {
    const [wide, high] = [width / zoom, height / zoom]
    path.current!.setAttribute('d', `${whole}M${-x / zoom} ${-y / zoom}h${wide}v${high}h${-wide}z`)
  })
  return <path ref={path} aria-hidden className="fill-ground/75" fillRule="evenodd" />
}

function box({ position: { x, y }, width = 0, height = 0 }: Shape): string {
  return `M${x} ${y}h${width}v${height}h${-width}z`
}

type Bounds = readonly [left: number, top: number, right: number, bottom: number]

const boundsOf = (nodes: readonly Shape[]): Bounds =>
  outermost(
    nodes.map(({ position: { x, y }, width = 0, height = 0 }) => [x, y, x + width, y + height] as const),
  )

const outermost = (all: readonly Bounds[]): Bounds =>
  all.reduce(
    ([left, top, right, bottom], one) => [
      Math.min(left, one[0]),
      Math.min(top, one[1]),
      Math.max(right, one[2]),
      Math.max(bottom, one[3]),
    ],
    [Infinity, Infinity, -Infinity, -Infinity],
  )

function around(all: readonly Bounds[]) {
  const [left, top, right, bottom] = outermost(all)
  return { x: left, y: top, width: right - left, height: bottom - top }
}
