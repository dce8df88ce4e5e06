import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import { cutLabel, labelLift } from './model/edge-label'
import type { Route } from './model/route'
import { pathOf } from './routes'

export type StepEdgeData = Edge<{ readonly route: Route | null }, 'step'>

/** An edge of a graph that is only read, with its label beside the line where it would cover it. */
export const StepEdge = memo(function StepEdge({
  id,
  label,
  labelBgPadding,
  labelBgBorderRadius,
  markerEnd,
  interactionWidth,
  data,
  ...ends
}: EdgeProps<StepEdgeData>) {
  const [path, x, y] = pathOf(ends, data?.route)
  const text = typeof label === 'string' ? cutLabel(label, ends) : null
  return (
    <BaseEdge
      id={id}
      path={path}
      labelX={x}
      labelY={text === null ? y : y - labelLift(text, ends)}
      label={
        text === null ? undefined : (
          <>
            <title>{label}</title>
            {text}
          </>
        )
      }
      {...(labelBgPadding === undefined ? {} : { labelBgPadding })}
      {...(labelBgBorderRadius === undefined ? {} : { labelBgBorderRadius })}
      {...(markerEnd === undefined ? {} : { markerEnd })}
      {...(interactionWidth === undefined ? {} : { interactionWidth })}
    />
  )
})
