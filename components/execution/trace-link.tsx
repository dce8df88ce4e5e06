import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { api } from '@/components/api'

/** The way to the node in the tracing tool of the installation; nothing where there is none. */
export function TraceLink({ executionId, nodeId }: { executionId: string; nodeId: string }) {
  const { data } = useQuery(api.executions.trace.queryOptions({ execution_id: executionId, node_id: nodeId }))
  if (data?.url == null) return null
  return (
    <a
      href={data.url}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1 text-xs font-medium text-accent hover:underline"
    >
      Open trace
      <ExternalLink aria-hidden className="size-3" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  )
}
