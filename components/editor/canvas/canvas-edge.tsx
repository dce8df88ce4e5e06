'use client'

import { BaseEdge, EdgeToolbar, type Edge, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import type { FlowEdge } from '@/components/editor/model/flow'
import { cutLabel, labelLift } from '@/components/graph/model/edge-label'
import type { Route } from '@/components/graph/model/route'
import { pathOf } from '@/components/graph/routes'
import { EdgeBar } from './edge-bar'

export type WireEdge = Edge<
  {
    readonly edge: FlowEdge
    readonly text: string | null
    readonly bar: boolean
    readonly route: Route | null
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
  const [path, x, y] = pathOf(ends, data?.route)
  const whole = data?.text ?? null
  const text = whole === null ? null : cutLabel(whole, ends)
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        labelX={x}
        labelY={text === null ? y : y - labelLift(text, ends)}
        label={
          text === null ? undefined : (
            <>
              <title>{whole}</title>
              {text}
            </>
          )
        }
        labelBgPadding={[5, 2]}
        labelBgBorderRadius={4}
        {...(markerEnd === undefined ? {} : { markerEnd })}
        {...(interactionWidth === undefined ? {} : { interactionWidth })}
      />
      {data?.bar === true && (
        <EdgeToolbar edgeId={id} x={x} y={y + 14} alignY="top" isVisible className="nodrag nopan">
          <EdgeBar edge={data.edge} />
        </EdgeToolbar>
      )}
    </>
  )
})
