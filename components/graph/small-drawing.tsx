import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { draw } from './model/drawing'
import { fold } from './model/fold'
import { quickLayout, sizeOf, storedLayout } from './model/layout'

type Positions = Parameters<typeof storedLayout>[1]

/** A thumbnail of a pipeline: boxes and lines without names. */
export function SmallDrawing({
  pipeline,
  positions,
  className,
}: {
  pipeline: CompiledPipeline
  positions: Positions
  className?: string
}) {
  const drawing = fold(draw(pipeline, null))
  const layout = storedLayout(drawing, positions) ?? quickLayout(drawing, 'right')
  const boxes = drawing.nodes.map((node) => {
    const { x, y } = layout.get(node.id) ?? { x: 0, y: 0 }
    return { id: node.id, signal: node.kind === 'signal', x, y, ...sizeOf(node) }
  })
  const at = new Map(boxes.map((box) => [box.id, box]))
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))]
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - left
  const height = Math.max(...boxes.map((box) => box.y + box.height)) - top
  return (
    <svg
      aria-hidden
      viewBox={`${left - 20} ${top - 20} ${width + 40} ${height + 40}`}
      preserveAspectRatio="xMidYMid meet"
      className={className}
    >
      {drawing.edges.map(({ id, from, to }) => {
        const [source, target] = [at.get(from), at.get(to)]
        if (source === undefined || target === undefined) return null
        const [x1, y1] = [source.x + source.width, source.y + source.height / 2]
        const [x2, y2] = [target.x, target.y + target.height / 2]
        const bend = Math.max(24, (x2 - x1) / 2)
        return (
          <path
            key={id}
            d={`M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`}
            className="fill-none stroke-line-strong stroke-2"
            vectorEffect="non-scaling-stroke"
          />
        )
      })}
      {boxes.map((box) => (
        <rect
          key={box.id}
          x={box.x}
          y={box.y}
          width={box.width}
          height={box.height}
          rx={box.signal ? box.height / 2 : 12}
          className={box.signal ? 'fill-sunken stroke-line-strong' : 'fill-accent-soft stroke-accent'}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  )
}
