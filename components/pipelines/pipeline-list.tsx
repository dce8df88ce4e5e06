'use client'

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { ListTree } from 'lucide-react'
import { useState } from 'react'
import { Link } from '@/components/ui/link'
import { useSearchParams } from 'next/navigation'
import {
  api,
  client,
  pageByPage,
  problemOf,
  useMay,
  useRenewed,
  type PipelineSummary,
} from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Input } from '@/components/ui/field'
import { MoreButton } from '@/components/ui/more-button'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { RelativeTime } from '@/components/ui/time'
import { writeQuery } from '@/components/ui/write-query'
import { RunBadge } from '@/components/ui/run-badge'
import { RunButton } from './run-button'

/** Every pipeline with what it is for and its Run button; the search is in the address. */
export function PipelineList() {
  const mayEdit = useMay('edit')
  const search = useSearchParams().get('q') ?? ''
  const [text, setText] = useState(search)
  const find = (next: string) => {
    setText(next)
    writeQuery(new URLSearchParams(next.trim() === '' ? {} : { q: next.trim() }))
  }
  const input = { limit: 50, activity: true, ...(search === '' ? {} : { search: search.slice(0, 200) }) }
  const list = useInfiniteQuery({
    ...pageByPage(api.pipelines.list.infiniteQueryKey(input), client.pipelines.list.query, input),
    placeholderData: keepPreviousData,
  })
  useRenewed(['executions'], [api.pipelines.list.infiniteQueryKey(input)])
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <>
      <Input
        aria-label="Search pipelines"
        placeholder="Search by name or id…"
        className="mb-3 w-full sm:w-72"
        value={text}
        onChange={(event) => {
          find(event.target.value)
        }}
      />
      <Card aria-busy={list.isFetching}>
        {list.isPending ? (
          <SkeletonRows />
        ) : list.error !== null ? (
          <ErrorState
            what="The pipelines could not be loaded."
            error={problemOf(list.error)}
            retry={() => void list.refetch()}
          />
        ) : items.length === 0 ? (
          search === '' ? (
            <EmptyState icon={ListTree} title="No pipelines yet">
              {mayEdit ? (
                <>
                  Press <b>New pipeline</b>, import one, or start from an example below. Scripts can use
                  <code>POST /api/v1/pipelines</code>.
                </>
              ) : (
                'Nothing has been published yet.'
              )}
            </EmptyState>
          ) : (
            <EmptyState
              icon={ListTree}
              title="No pipeline has this name"
              action={<Button onClick={() => find('')}>Show all</Button>}
            />
          )
        ) : (
          <ul>
            {items.map((row) => (
              <li
                key={row.id}
                className="relative flex items-center gap-4 border-b border-line px-4 py-3 transition-colors duration-150 last:border-0 hover:bg-sunken"
              >
                <span className="hidden size-9 shrink-0 place-items-center rounded-md bg-accent-soft text-accent sm:grid">
                  <ListTree aria-hidden className="size-4.5" />
                </span>
                <div className="min-w-0 flex-1">
                  <div className="flex flex-wrap items-baseline gap-x-2.5">
                    <Link
                      href={`/pipelines/${row.id}`}
                      className="truncate text-base leading-5 font-semibold after:absolute after:inset-0"
                    >
                      {row.name}
                    </Link>
                    {row.name !== row.id && <code className="truncate text-xs text-faint">{row.id}</code>}
                  </div>
                  {row.description !== null && (
                    <p className="mt-0.5 line-clamp-2 max-w-[80ch] text-muted">{row.description}</p>
                  )}
                  <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
                    <span>revision {row.revision}</span>
                    <span>
                      changed <RelativeTime at={row.updated_at} />
                    </span>
                    {Object.entries(row.labels).map(([key, value]) => (
                      <span key={key} className="rounded-sm bg-sunken px-1.5 font-mono max-sm:hidden">
                        {key}: {value}
                      </span>
                    ))}
                  </div>
                </div>
                <Activity row={row} />
                <RunButton pipelineId={row.id} name={row.name} />
              </li>
            ))}
          </ul>
        )}
      </Card>
      <MoreButton list={list} />
    </>
  )
}

/** How its latest run went, and when the next one starts by itself. */
function Activity({ row: { last_run: last, schedules = [] } }: { row: PipelineSummary }) {
  const next = schedules
    .filter(({ next_at: at, active }) => active && at !== null)
    .toSorted((a, b) => (a.next_at! < b.next_at! ? -1 : 1))[0]
  return (
    <dl className="hidden shrink-0 gap-x-6 text-xs md:flex">
      <div className="w-40">
        <dt className="text-faint">Last run</dt>
        <dd className="mt-0.5 flex flex-col items-start gap-0.5">
          {last == null ? (
            <span className="text-faint">none yet</span>
          ) : (
            <Link
              href={`/executions/${last.execution_id}`}
              className="relative z-10 flex flex-col items-start gap-0.5 rounded-sm hover:text-accent"
            >
              <span className="sr-only">Last run:</span>
              <RunBadge run={last} short />
              <RelativeTime at={last.started_at ?? last.created_at} className="text-muted" />
            </Link>
          )}
        </dd>
      </div>
      <div className="w-32">
        <dt className="text-faint">Schedule</dt>
        <dd className="mt-0.5 flex flex-col gap-0.5">
          {schedules.length === 0 ? (
            <span className="text-faint">none</span>
          ) : next === undefined ? (
            <span className="text-muted">switched off</span>
          ) : (
            <>
              <RelativeTime at={next.next_at!} />
              <code className="truncate text-faint" title={`${next.cron} ${next.timezone}`}>
                {next.cron}
              </code>
            </>
          )}
        </dd>
      </div>
    </dl>
  )
}
