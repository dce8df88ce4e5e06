'use client'

import { useQuery } from '@tanstack/react-query'
import { api, problemOf } from '@/components/api'
import { Card } from '@/components/ui/card'
import { Link } from '@/components/ui/link'
import { ErrorState, SkeletonRows } from '@/components/ui/states'
import { OverviewRuns } from './overview-runs'

const SHOWN = 20

/** Who must act next: people, other systems, or capacity. Runs that the engine continues by itself are left out. */
export function WhoActsNext({ queue }: { queue: { readonly waiting: number } }) {
  const waiting = useQuery(api.executions.list.queryOptions({ status: ['waiting'], limit: SHOWN }))
  const { data: approvals } = useQuery(api.approvals.count.queryOptions({}))
  const people = approvals?.pending ?? 0
  return (
    <Card title="Who must act next">
      <ul className="flex flex-wrap gap-x-6 gap-y-1 border-b border-line px-4 py-3">
        <li>
          <Link href="/approvals" className="font-medium text-accent">
            {people === 0 ? 'No decisions' : people === 1 ? 'One decision' : `${people} decisions`}
          </Link>{' '}
          <span className="text-muted">to be made by people</span>
        </li>
        {waiting.data !== undefined && (
          <li>
            <span className="font-medium">
              {waiting.data.next_cursor == null ? waiting.data.items.length : `${SHOWN} or more`}
            </span>{' '}
            <span className="text-muted">
              {waiting.data.items.length === 1 ? 'run waiting' : 'runs waiting'} for people or events from
              outside
            </span>
          </li>
        )}
        <li>
          <span className="font-medium">{queue.waiting}</span>{' '}
          <span className="text-muted">attempts in the queue for a slot or a child process</span>
        </li>
      </ul>
      {waiting.isPending ? (
        <SkeletonRows rows={3} />
      ) : waiting.error !== null ? (
        <ErrorState
          what="The runs that wait could not be loaded."
          error={problemOf(waiting.error)}
          retry={() => void waiting.refetch()}
        />
      ) : (
        <OverviewRuns items={waiting.data.items} empty="No run needs anybody right now." />
      )}
      {waiting.data?.next_cursor != null && (
        <p className="border-t border-line px-4 py-3 text-xs">
          <Link href="/executions?status=waiting" className="text-accent underline underline-offset-2">
            See all waiting runs
          </Link>
        </p>
      )}
    </Card>
  )
}
