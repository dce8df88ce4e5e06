'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '@/components/api'
import { useRun } from './run-context'

/** Reads anew whenever a task of the run ends and when the run does: only then can there be more. */
function useRefetchWithRun(refetch: () => unknown): void {
  const { metrics, finished_at: finished, closed_at: closed } = useRun().view
  const stamp = `${metrics.tasks_completed} ${metrics.tasks_failed} ${finished} ${closed}`
  const seen = useRef(stamp)
  useEffect(() => {
    if (seen.current === stamp) return
    seen.current = stamp
    refetch()
  }, [stamp, refetch])
}

/** The files that the run has produced so far. */
export function useArtifacts() {
  const { view } = useRun()
  const query = useQuery(
    api.executions.artifacts.queryOptions({ execution_id: view.execution_id }, { staleTime: 0 }),
  )
  useRefetchWithRun(query.refetch)
  return query
}

/** The variables that the run has written so far. */
export function useVariables() {
  const { view } = useRun()
  const query = useQuery(
    api.executions.variables.queryOptions({ execution_id: view.execution_id }, { staleTime: 0 }),
  )
  useRefetchWithRun(query.refetch)
  return query
}
