import { useQuery } from '@tanstack/react-query'
import { api, useRenewed } from '@/components/api'

/** Why an open approval is never given, as the server knows it, who knows all people; null: it can be, or that is not known yet. */
export function useUnreachable(executionId: string, nodeId: string | null): string | null {
  const asked = { execution_id: executionId, node_id: nodeId ?? '' }
  const { data } = useQuery(
    api.executions.explain.queryOptions(asked, {
      enabled: nodeId !== null,
      select: ({ unreachable }) => unreachable,
    }),
  )
  useRenewed(nodeId === null ? [] : ['approvals'], [api.executions.explain.queryKey(asked)])
  return nodeId === null ? null : (data ?? null)
}
