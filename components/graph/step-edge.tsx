import { BaseEdge, getSmoothStepPath, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import { cutLabel, labelLift } from './model/edge-label'

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
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: 8 })
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
