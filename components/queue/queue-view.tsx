'use client'

import { useQuery } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { api, problemOf, useRenewed, type QueuedNode } from '@/components/api'
import { Card } from '@/components/ui/card'
import { Link } from '@/components/ui/link'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { RelativeTime } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { lackText } from './lack-text'
import { Pools } from './pools'

/** Nodes that wait in the order in which they go, then the pools that they wait for. */
export function QueueView() {
  const { data, error, isPending, refetch } = useQuery(api.queue.list.queryOptions({ limit: SHOWN }))
  useRenewed(['slots'], [api.queue.pathKey(), api.pools.pathKey()])
  return (
    <div className="flex flex-col gap-4">
      <Card title="Waiting" count={data?.total}>
        {isPending ? (
          <SkeletonRows rows={3} />
        ) : error !== null ? (
          <ErrorState
            what="The queue could not be loaded."
            error={problemOf(error)}
            retry={() => void refetch()}
          />
        ) : data.items.length === 0 ? (
          <EmptyState icon={Layers} title="Nothing waits">
            Every node that is ready has what it needs.
          </EmptyState>
        ) : (
          <Waiting items={data.items} />
        )}
        {data !== undefined && data.items.length > 1 && (
          <p className="border-t border-line px-4 py-3 text-xs text-muted">
            Order: priority and age (a step of priority is a minute), runs that hold less first; within a run
            the longest critical path, longer by its risk.
          </p>
        )}
        {data !== undefined && data.total > data.items.length && data.items.length > 0 && (
          <p className="border-t border-line px-4 py-3 text-xs text-muted">
            And {data.total - data.items.length} more behind these.
          </p>
        )}
      </Card>
      <Pools />
    </div>
  )
}

const SHOWN = 100

function Waiting({ items }: { items: readonly QueuedNode[] }) {
  return (
    <Table label="Nodes that wait">
      <thead>
        <tr>
          <Th className="w-10">#</Th>
          <Th>Node</Th>
          <Th>Pipeline</Th>
          <Th>Waits for</Th>
          <Th>Since</Th>
          <Th className="text-right">Priority</Th>
          <Th>Critical path</Th>
          <Th className="text-right">Risk</Th>
        </tr>
      </thead>
      <tbody>
        {items.map((item, at) => (
          <Tr key={`${item.execution_id}/${item.node_id}`}>
            <Td className="text-faint tabular-nums">{at + 1}</Td>
            <Td>
              <Link
                href={`/executions/${item.execution_id}/graph?node=${encodeURIComponent(item.node_id)}`}
                className="font-medium text-accent"
              >
                {item.node_id}
              </Link>
            </Td>
            <Td className="text-muted">{item.pipeline_id}</Td>
            <Td className={item.waits_for.reason === 'too_large' ? 'font-medium text-danger' : ''}>
              {lackText(item.waits_for)}
            </Td>
            <Td className="text-muted">
              <RelativeTime at={item.since} />
            </Td>
            <Td className="text-right tabular-nums">{item.priority}</Td>
            <Td className="text-muted">{durationText(item.path_ms)}</Td>
            <Td className="text-right tabular-nums">{item.risk.toFixed(2)}</Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
