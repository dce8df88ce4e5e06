'use client'

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { PlaySquare } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { api, client, pageByPage, problemOf, useMay } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { MoreButton } from '@/components/ui/more-button'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { useNow } from '@/components/ui/time'
import { BulkBar } from './bulk-bar'
import { isFiltered, readFilter, requestOf, withIds } from './execution-filter'
import { clearFilters, ExecutionFilters } from './execution-filters'
import { ExecutionTable } from './execution-table'

const NONE: ReadonlySet<string> = new Set()

/** Runs that fit the filters of the address; `pipeline` fixes one of them. More are read on demand. */
export function ExecutionList({ pipeline }: { pipeline?: string }) {
  const params = useSearchParams()
  const filter = readFilter(params, pipeline)
  const now = useNow()
  const request = requestOf(filter, now)
  const list = useInfiniteQuery({
    ...pageByPage(api.executions.list.infiniteQueryKey(request), client.executions.list.query, request),
    placeholderData: keepPreviousData,
    // Before the clock runs there is no period to ask for.
    enabled: filter.period.ms === 0 || now !== 0,
  })
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  const mayOperate = useMay('operate')
  const [picked, setPicked] = useState<ReadonlySet<string>>(NONE)
  // Runs that the list no longer shows are not acted on.
  const chosen = items.filter(({ execution_id }) => picked.has(execution_id))
  const choose = (ids: readonly string[], on: boolean) => setPicked((before) => withIds(before, ids, on))
  const filtered = isFiltered(filter, pipeline !== undefined)
  return (
    <>
      <ExecutionFilters
        filter={filter}
        isFiltered={filtered}
        ofAll={pipeline === undefined}
        query={params.toString()}
        items={items}
      />
      <Card aria-busy={list.isFetching}>
        {list.isPending ? (
          <SkeletonRows rows={8} />
        ) : list.error !== null ? (
          <ErrorState
            what="The runs could not be loaded."
            error={problemOf(list.error)}
            retry={() => void list.refetch()}
          />
        ) : items.length === 0 ? (
          <NoRuns
            isFiltered={filtered}
            isFarther={list.hasNextPage}
            offersStart={pipeline === undefined && mayOperate}
          />
        ) : (
          <ExecutionTable
            items={items}
            showPipeline={pipeline === undefined}
            chosen={picked}
            onChoose={choose}
          />
        )}
      </Card>
      <BulkBar chosen={chosen} mayOperate={mayOperate} onForget={(ids) => choose(ids, false)} />
      <MoreButton list={list}>
        {list.isFetchingNextPage ? 'Loading…' : items.length === 0 ? 'Search older runs' : 'Older runs'}
      </MoreButton>
    </>
  )
}

function NoRuns({
  isFiltered,
  isFarther,
  offersStart,
}: {
  isFiltered: boolean
  /** Older runs have not been looked at. */
  isFarther: boolean
  offersStart: boolean
}) {
  if (isFiltered)
    return (
      <EmptyState
        icon={PlaySquare}
        title={isFarther ? 'No recent runs match these filters' : 'No runs match these filters'}
        action={<Button onClick={clearFilters}>Clear the filters</Button>}
      />
    )
  return (
    <EmptyState
      icon={PlaySquare}
      title="Nothing has run yet"
      action={
        offersStart && (
          <Button asChild tone="primary">
            <Link href="/pipelines">Choose a pipeline to run</Link>
          </Button>
        )
      }
    >
      Runs appear here as soon as they start, and update live.
    </EmptyState>
  )
}
