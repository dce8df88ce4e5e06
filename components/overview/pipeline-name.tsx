'use client'

import { usePipelineName } from '@/components/api'

/** The name of a pipeline, in a list that knows its id. */
export function PipelineName({ id }: { id: string }) {
  return usePipelineName(id)
}
