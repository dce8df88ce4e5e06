'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { api, client, pageByPage, problemOf } from '@/components/api'
import { Card } from '@/components/ui/card'
import { MoreButton } from '@/components/ui/more-button'
import { ErrorState, SkeletonRows } from '@/components/ui/states'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { RelativeTime } from '@/components/ui/time'
import { usePipeline } from './pipeline-frame'

/** The revisions of a pipeline, newest first. None ever changes. */
export function PipelineRevisions() {
  const document = usePipeline()
  const input = { pipeline_id: document.id, limit: 50 }
  const list = useInfiniteQuery(
    pageByPage(api.pipelines.revisions.infiniteQueryKey(input), client.pipelines.revisions.query, input),
  )
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
      <Card>
        {list.isPending ? (
          <SkeletonRows rows={3} />
        ) : list.error !== null ? (
          <ErrorState
            what="The revisions could not be loaded."
            error={problemOf(list.error)}
            retry={() => void list.refetch()}
          />
        ) : (
          <Table label="Revisions">
            <thead>
              <tr>
                <Th>Revision</Th>
                <Th>Saved by</Th>
                <Th>Content</Th>
                <Th className="text-right">Saved</Th>
              </tr>
            </thead>
            <tbody>
              {items.map((row) => (
                <Tr key={row.revision} className="relative">
                  <Td>
                    <Link
                      href={`/pipelines/${document.id}?revision=${row.revision}`}
                      className="font-medium after:absolute after:inset-0"
                    >
                      {row.revision}
                    </Link>
                    {row.revision === document.current_revision && (
                      <span className="ml-2 rounded-sm bg-accent-soft px-1.5 text-xs text-accent">
                        current
                      </span>
                    )}
                  </Td>
                  <Td className="text-muted">{row.created_by}</Td>
                  <Td className="font-mono text-xs text-faint">{row.digest.slice(0, 12)}</Td>
                  <Td className="text-right text-muted">
                    <RelativeTime at={row.created_at} />
                  </Td>
                </Tr>
              ))}
            </tbody>
          </Table>
        )}
      </Card>
      <MoreButton list={list}>Older revisions</MoreButton>
    </div>
  )
}
