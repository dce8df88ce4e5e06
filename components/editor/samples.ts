'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '@/components/api'
import { useDraft } from './editor-context'
import type { Values } from './preview'

/** Values with which expressions are tried while one writes them. */
export type Samples = {
  /** By the names with which expressions read them. */
  readonly values: Values
  /** Where they are from; null: there is nothing yet to try them with. */
  readonly from: {
    readonly executionId: string
    readonly revision: number
    readonly at: string
  } | null
}

const NONE: Samples = { values: new Map(), from: null }

/**
 * The values of the pipeline's latest run that has ended well, else of its latest; null while they are read. Asked for only while
 * somebody looks at an expression, and kept for a minute.
 */
export function useSamples(): Samples | null {
  const pipelineId = useDraft(({ definition: { id } }) => (typeof id === 'string' && id !== '' ? id : null))
  const runs = useQuery(
    api.executions.list.queryOptions(
      { pipeline: pipelineId ?? '', limit: 10 },
      { enabled: pipelineId !== null, staleTime: 60_000 },
    ),
  )
  const run = runs.data?.items.find(({ status }) => status === 'completed') ?? runs.data?.items[0]
  const variables = useQuery(
    api.executions.variables.queryOptions(
      { execution_id: run?.execution_id ?? '' },
      { enabled: run !== undefined, staleTime: 60_000 },
    ),
  )
  return useMemo(() => {
    if (pipelineId === null || runs.isError || variables.isError) return NONE
    if (runs.data === undefined) return null
    if (run === undefined) return NONE
    if (variables.data === undefined) return null
    // A large value is a file of the run: it is not fetched for a preview.
    const values = variables.data.items.flatMap((item) =>
      'value' in item ? [[item.name, item.value] as const] : [],
    )
    return {
      values: new Map(values),
      from: { executionId: run.execution_id, revision: run.revision, at: run.started_at ?? run.created_at },
    }
  }, [pipelineId, runs.isError, runs.data, run, variables.isError, variables.data])
}
