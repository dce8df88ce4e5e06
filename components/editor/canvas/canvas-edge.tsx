'use client'

import { BaseEdge, EdgeToolbar, type Edge, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import type { FlowEdge } from '@/components/editor/model/flow'
import { pathOf, type Way } from '@/components/graph/routes'
import { EdgeBar } from './edge-bar'

export type WireEdge = Edge<
  {
    readonly edge: FlowEdge
    readonly text: string | null
    readonly bar: boolean
    readonly way: Way | null
  },
  'wire'
>

/** An edge with what it says; the one that is selected alone wears a bar. */
export const Wire = memo(function Wire({
  id,
  data,
  markerEnd,
  interactionWidth,
  ...ends
}: EdgeProps<WireEdge>) {
  const whole = data?.text ?? null
  const { path, middle, label } = pathOf(ends, data?.way, whole)
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        labelX={(label?.at ?? middle).x}
        labelY={(label?.at ?? middle).y}
        label={
          label === null ? undefined : (
            <>
              <title>{whole}</title>
              {label.text}
            </>
          )
        }
        labelBgPadding={[5, 2]}
        labelBgBorderRadius={4}
        {...(markerEnd === undefined ? {} : { markerEnd })}
        {...(interactionWidth === undefined ? {} : { interactionWidth })}
      />
      {data?.bar === true && (
        <EdgeToolbar
          edgeId={id}
          x={middle.x}
          y={middle.y + 14}
          alignY="top"
          isVisible
          className="nodrag nopan"
        >
          <EdgeBar edge={data.edge} />
        </EdgeToolbar>
      )}
    </>
  )
})
