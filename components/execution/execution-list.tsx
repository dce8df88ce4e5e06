'use client'

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { PlaySquare } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { usePathname, useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { api, client, pageByPage, problemOf, useMay } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Select } from '@/components/ui/field'
import { MoreButton } from '@/components/ui/more-button'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { statusText } from '@/components/ui/status'
import { useNow } from '@/components/ui/time'
import { writeQuery } from '@/components/ui/write-query'
import { BulkBar } from './bulk-bar'
import { PERIODS, readFilter, requestOf, STATUSES, withIds, type ExecutionFilter } from './execution-filter'
import { ExecutionTable } from './execution-table'
import { SavedFilters } from './saved-filters'

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
  const isFiltered =
    filter.status !== undefined ||
    (pipeline === undefined && filter.pipeline !== '') ||
    filter.period.ms !== 0
  return (
    <>
      <Filters filter={filter} isFiltered={isFiltered} ofAll={pipeline === undefined} params={params} />
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
          <NoRuns isFiltered={isFiltered} offersStart={pipeline === undefined && mayOperate} />
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
      <MoreButton list={list}>{list.isFetchingNextPage ? 'Loading…' : 'Older runs'}</MoreButton>
    </>
  )
}

const clearFilters = () => writeQuery(new URLSearchParams())

function Filters({
  filter: { status, pipeline, period },
  isFiltered,
  ofAll,
  params,
}: {
  filter: ExecutionFilter
  isFiltered: boolean
  /** The list is of all pipelines: one of them can be chosen. */
  ofAll: boolean
  params: URLSearchParams
}) {
  const path = usePathname()
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value === '') next.delete(name)
    else next.set(name, value)
    writeQuery(next)
  }
  return (
    <div className="mb-3 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <Select
        aria-label="Status"
        className="sm:w-36"
        value={status ?? ''}
        onChange={(event) => change('status', event.target.value)}
      >
        <option value="">Any status</option>
        {STATUSES.map((each) => (
          <option key={each} value={each}>
            {each === 'open' ? 'Not ended' : statusText(each)}
          </option>
        ))}
      </Select>
      {ofAll && <PipelineSelect chosen={pipeline} onChange={(id) => change('pipeline', id)} />}
      <Select
        aria-label="Period"
        className="sm:w-36"
        value={period.value}
        onChange={(event) => change('since', event.target.value)}
      >
        {PERIODS.map((each) => (
          <option key={each.value} value={each.value}>
            {each.text}
          </option>
        ))}
      </Select>
      {isFiltered && (
        <Button tone="quiet" onClick={clearFilters}>
          Clear
        </Button>
      )}
      {ofAll && <SavedFilters path={path} query={isFiltered ? params.toString() : ''} />}
    </div>
  )
}

function PipelineSelect({ chosen, onChange }: { chosen: string; onChange: (id: string) => void }) {
  const { data } = useQuery(api.pipelines.list.queryOptions({ limit: 250 }, { staleTime: 60_000 }))
  return (
    <Select
      aria-label="Pipeline"
      className="max-sm:order-last max-sm:col-span-2 sm:w-52"
      value={chosen}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">All pipelines</option>
      {data?.items.map((row) => (
        <option key={row.id} value={row.id}>
          {row.name}
        </option>
      ))}
      {chosen !== '' && data?.items.every((row) => row.id !== chosen) && (
        <option value={chosen}>{chosen}</option>
      )}
    </Select>
  )
}

function NoRuns({ isFiltered, offersStart }: { isFiltered: boolean; offersStart: boolean }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={PlaySquare}
        title="No runs match these filters"
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
