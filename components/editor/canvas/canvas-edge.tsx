'use client'

import { BaseEdge, EdgeToolbar, getSmoothStepPath, type Edge, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import type { FlowEdge } from '@/components/editor/model/flow'
import { labelLift, FRAME, LETTER } from '@/components/graph/model/edge-label'
import { EdgeBar } from './edge-bar'

export type WireEdge = Edge<
  { readonly edge: FlowEdge; readonly text: string | null; readonly bar: boolean },
  'wire'
>

/** Longest label of an edge on the canvas; the bar says all of it. */
const LONGEST = 48

/** Length of an outcome, which is never cut, however close the cards are. */
const SHORTEST = 10

/** Cards that are this much higher or lower than each other leave room beside the line between them. */
const APART = 72

type Ends = Pick<EdgeProps, 'sourceX' | 'sourceY' | 'targetX' | 'targetY'>

/** How much of a label has room between the cards; the gate of its target and the bar say all of it. */
function cut(text: string, { sourceX, sourceY, targetX, targetY }: Ends): string {
  const free = Math.abs(targetY - sourceY) > APART || targetX < sourceX
  const letters = free ? LONGEST : Math.floor((targetX - sourceX - FRAME) / LETTER)
  const most = Math.min(LONGEST, Math.max(SHORTEST, letters))
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

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
        labelY={text === null ? y : y - labelLift(cut(text, ends), ends)}
        label={
          text === null ? undefined : (
            <>
              <title>{text}</title>
              {cut(text, ends)}
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
