'use client'

import { useQuery } from '@tanstack/react-query'
import { api, problemOf } from '@/components/api'
import { Link } from '@/components/ui/link'
import { Skeleton } from '@/components/ui/states'
import { RelativeTime } from '@/components/ui/time'
import { amountText } from '@/core/pipeline/definition/pool-text'

/** Who holds how much of a pool, and since when. */
export function PoolHolders({ name }: { name: string }) {
  const { data, error } = useQuery(api.pools.get.queryOptions({ name }))
  if (error !== null)
    return (
      <p role="alert" className="mt-2 text-xs text-danger">
        {problemOf(error).message}
      </p>
    )
  if (data === undefined) return <Skeleton className="mt-2 h-5" />
  const rest = [...data.others, ...(data.more > 0 ? [`${amountText(name, data.more)} held by others`] : [])]
  if (data.holders.length === 0 && rest.length === 0)
    return <p className="mt-2 text-xs text-faint">Nobody holds any of it.</p>
  return (
    <ul aria-label={`Who holds ${name}`} className="mt-2 flex flex-col gap-1 text-xs text-muted">
      {data.holders.map(({ execution_id, node_id, attempts, amount, since }) => (
        <li key={`${execution_id}/${node_id}`} className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium text-ink tabular-nums">{amountText(name, amount)}</span>
          <Link
            href={`/executions/${execution_id}/graph?node=${encodeURIComponent(node_id)}`}
            className="text-accent underline underline-offset-2"
          >
            {node_id}
          </Link>
          <span className="font-mono text-faint">{execution_id}</span>
          {attempts > 1 && <span>{attempts} items</span>}
          <RelativeTime at={since} />
        </li>
      ))}
      {rest.map((what) => (
        <li key={what}>{what}</li>
      ))}
    </ul>
  )
}
