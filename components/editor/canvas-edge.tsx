'use client'

import { BaseEdge, EdgeToolbar, getSmoothStepPath, type Edge, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import { EdgeBar } from './edge-bar'
import type { FlowEdge } from './flow'

export type WireEdge = Edge<
  { readonly edge: FlowEdge; readonly text: string | null; readonly bar: boolean },
  'wire'
>

/** Longest label of an edge on the canvas; the bar says all of it. */
const LONGEST = 48

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text)

/** An edge with what it says; the one that is selected alone wears a bar. */
export const Wire = memo(function Wire({
  id,
  data,
  markerEnd,
  interactionWidth,
  ...ends
}: EdgeProps<WireEdge>) {
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: 8 })
  const text = data?.text ?? null
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        labelX={x}
        labelY={y}
        label={text === null ? undefined : cut(text)}
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
