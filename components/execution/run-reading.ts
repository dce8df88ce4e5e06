'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { api } from '@/components/api'
import { isItemVariable } from '@/core/engine/decide/item-variable'
import type { ExecutionState } from '@/core/engine/state'
import { useRun } from './run-context'

/** Refetches whenever a task of the run ends, and when the run does: there can be more only then. */
function useRefetchWithRun(refetch: () => unknown, isLive = true): void {
  const { metrics, finished_at: finished, closed_at: closed } = useRun().view
  const stamp = `${metrics.tasks_completed} ${metrics.tasks_failed} ${finished} ${closed}`
  const seen = useRef(stamp)
  useEffect(() => {
    if (seen.current === stamp || !isLive) return
    seen.current = stamp
    refetch()
  }, [stamp, refetch, isLive])
}

/** The files that the run has produced so far; for an instant of the past, those written by then. */
export function useArtifacts() {
  const { view, past } = useRun()
  const query = useQuery(
    api.executions.artifacts.queryOptions(
      { execution_id: view.execution_id },
      {
        staleTime: 0,
        select: ({ items }) => ({
          items: past === null ? items : items.filter((file) => Date.parse(file.created_at) <= past.at),
        }),
      },
    ),
  )
  useRefetchWithRun(query.refetch)
  return query
}

/** The variables that the run has written so far; for an instant of the past, those written by then. */
export function useVariables() {
  const { view, past, foldAt } = useRun()
  const query = useQuery(
    api.executions.variables.queryOptions(
      { execution_id: view.execution_id },
      { staleTime: 0, enabled: past === null },
    ),
  )
  useRefetchWithRun(query.refetch, past === null)
  const seq = past?.seq ?? null
  const then = useMemo(() => (seq === null ? null : variablesOf(foldAt(seq).state)), [foldAt, seq])
  const { data, isPending, error, refetch } = query
  if (then !== null) return { items: then, isPending: false, error: null, refetch }
  return { items: data?.items ?? [], isPending, error, refetch }
}

function variablesOf({ variables }: ExecutionState) {
  return [...variables]
    .filter(([name]) => !isItemVariable(name))
    .map(([name, { value, ref, seq }]) => (ref === undefined ? { name, value, seq } : { name, ref, seq }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
