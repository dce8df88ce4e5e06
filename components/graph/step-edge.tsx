import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import { pathOf, type Way } from './routes'

export type StepEdgeData = Edge<{ readonly way: Way | null }, 'step'>

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
  const whole = typeof label === 'string' ? label : null
  const { path, middle, label: said } = pathOf(ends, data?.way, whole)
  return (
    <BaseEdge
      id={id}
      path={path}
      labelX={(said?.at ?? middle).x}
      labelY={(said?.at ?? middle).y}
      label={
        said === null ? undefined : (
          <>
            <title>{whole}</title>
            {said.text}
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
