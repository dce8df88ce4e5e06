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
import { ExecutionTable } from './execution-table'
import { SavedFilters } from './saved-filters'

const NONE: ReadonlySet<string> = new Set()

const statuses = ['pending', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'] as const

const periods = [
  { value: '', text: 'Any time', ms: 0 },
  { value: '1h', text: 'Last hour', ms: 3_600_000 },
  { value: '1d', text: 'Last 24 hours', ms: 86_400_000 },
  { value: '7d', text: 'Last 7 days', ms: 7 * 86_400_000 },
] as const

/** Runs that fit the filters of the address; `pipeline` fixes one of them. More are read on demand. */
export function ExecutionList({ pipeline }: { pipeline?: string }) {
  const path = usePathname()
  const params = useSearchParams()
  const status = statuses.find((each) => each === params.get('status'))
  const chosen = pipeline ?? params.get('pipeline') ?? ''
  const period = periods.find((each) => each.value === params.get('since')) ?? periods[0]
  // To the minute, so that the same filter is the same query. Before the clock runs nothing is asked.
  const now = useNow()
  const from = period.ms === 0 ? undefined : new Date(Math.floor((now - period.ms) / 60_000) * 60_000)
  const pipelines = useQuery(
    api.pipelines.list.queryOptions({ limit: 250 }, { enabled: pipeline === undefined, staleTime: 60_000 }),
  )
  const input = {
    limit: 50,
    ...(status === undefined ? {} : { status: [status] }),
    ...(chosen === '' ? {} : { pipeline: chosen }),
    ...(from === undefined ? {} : { from: from.toISOString() }),
  }
  const list = useInfiniteQuery({
    ...pageByPage(api.executions.list.infiniteQueryKey(input), client.executions.list.query, input),
    placeholderData: keepPreviousData,
    enabled: period.ms === 0 || now !== 0,
  })
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  const mayOperate = useMay('operate')
  const [picked, setPicked] = useState<ReadonlySet<string>>(NONE)
  // What the list no longer shows is not acted on.
  const taken = items.filter(({ execution_id }) => picked.has(execution_id))
  const choose = (ids: readonly string[], on: boolean) =>
    setPicked((before) => {
      const next = new Set(before)
      for (const id of ids)
        if (on) next.add(id)
        else next.delete(id)
      return next
    })
  const filtered = status !== undefined || (pipeline === undefined && chosen !== '') || period.ms !== 0

  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value === '') next.delete(name)
    else next.set(name, value)
    writeQuery(next)
  }

  return (
    <>
      <div className="mb-3 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        <Select
          aria-label="Status"
          className="sm:w-36"
          value={status ?? ''}
          onChange={(event) => filter('status', event.target.value)}
        >
          <option value="">Any status</option>
          {statuses.map((each) => (
            <option key={each} value={each}>
              {statusText(each)}
            </option>
          ))}
        </Select>
        {pipeline === undefined && (
          <Select
            aria-label="Pipeline"
            className="max-sm:order-last max-sm:col-span-2 sm:w-52"
            value={chosen}
            onChange={(event) => filter('pipeline', event.target.value)}
          >
            <option value="">All pipelines</option>
            {pipelines.data?.items.map((row) => (
              <option key={row.id} value={row.id}>
                {row.name}
              </option>
            ))}
            {chosen !== '' && pipelines.data?.items.every((row) => row.id !== chosen) && (
              <option value={chosen}>{chosen}</option>
            )}
          </Select>
        )}
        <Select
          aria-label="Period"
          className="sm:w-36"
          value={period.value}
          onChange={(event) => filter('since', event.target.value)}
        >
          {periods.map((each) => (
            <option key={each.value} value={each.value}>
              {each.text}
            </option>
          ))}
        </Select>
        {filtered && (
          <Button tone="quiet" onClick={() => writeQuery(new URLSearchParams())}>
            Clear
          </Button>
        )}
        {pipeline === undefined && <SavedFilters path={path} query={filtered ? params.toString() : ''} />}
      </div>
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
          filtered ? (
            <EmptyState
              icon={PlaySquare}
              title="No run fits these filters"
              action={<Button onClick={() => writeQuery(new URLSearchParams())}>Clear the filters</Button>}
            />
          ) : (
            <EmptyState
              icon={PlaySquare}
              title="Nothing has run yet"
              action={
                pipeline === undefined &&
                mayOperate && (
                  <Button asChild tone="primary">
                    <Link href="/pipelines">Choose a pipeline to run</Link>
                  </Button>
                )
              }
            >
              A run appears here the moment it is started, and is followed live.
            </EmptyState>
          )
        ) : (
          <ExecutionTable
            items={items}
            showPipeline={pipeline === undefined}
            chosen={picked}
            onChoose={choose}
          />
        )}
      </Card>
      <BulkBar chosen={taken} mayOperate={mayOperate} onForget={(ids) => choose(ids, false)} />
      <MoreButton list={list}>{list.isFetchingNextPage ? 'Loading…' : 'Older runs'}</MoreButton>
    </>
  )
}
