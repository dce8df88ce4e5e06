import { BaseEdge, getSmoothStepPath, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import { labelLift } from './model/edge-label'

/** An edge of a graph that is only read, with its label beside the line where it would cover it. */
export const StepEdge = memo(function StepEdge({
  id,
  label,
  labelBgPadding,
  labelBgBorderRadius,
  markerEnd,
  interactionWidth,
  ...ends
}: EdgeProps) {
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: 5 })
  return (
    <BaseEdge
      id={id}
      path={path}
      labelX={x}
      labelY={typeof label === 'string' ? y - labelLift(label, ends) : y}
      label={label}
      {...(labelBgPadding === undefined ? {} : { labelBgPadding })}
      {...(labelBgBorderRadius === undefined ? {} : { labelBgBorderRadius })}
      {...(markerEnd === undefined ? {} : { markerEnd })}
      {...(interactionWidth === undefined ? {} : { interactionWidth })}
    />
  )
})
