'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { usePathname, useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { api, client, pageByPage, problemOf, type RevisionSummary } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { MoreButton } from '@/components/ui/more-button'
import { ErrorState, SkeletonRows } from '@/components/ui/states'
import { RelativeTime } from '@/components/ui/time'
import { writeQuery } from '@/components/ui/write-query'
import { readChosen, toggleChosen, writeChosen } from './chosen-revisions'
import { usePipeline } from './pipeline-frame'
import { RevisionDiff } from './revision-diff'

/** The revisions of a pipeline, newest first, and the differences between two of them. Revisions never change. */
export function PipelineRevisions({ restore }: { restore: ((revision: number) => Promise<void>) | null }) {
  const { id, current_revision: current } = usePipeline()
  const params = useSearchParams()
  // Local state: a tick that waited for the address would first jump back. The address follows.
  const [chosen, setChosen] = useState(() => readChosen(params))
  const [from, to] = chosen.toSorted((a, b) => a - b)
  const input = { pipeline_id: id, limit: 50 }
  const list = useInfiniteQuery(
    pageByPage(api.pipelines.revisions.infiniteQueryKey(input), client.pipelines.revisions.query, input),
  )
  const items = list.data?.pages.flatMap((page) => page.items) ?? []

  function toggle(revision: number): void {
    const next = toggleChosen(chosen, revision)
    setChosen(next)
    writeQuery(writeChosen(next))
  }

  return (
    <div className="mx-auto grid w-full max-w-[1600px] items-start gap-4 p-4 lg:grid-cols-[minmax(340px,420px)_minmax(0,1fr)] lg:p-6">
      <div>
        <Card title="Revisions" action={<span className="text-xs text-faint">Choose two to compare</span>}>
          {list.isPending ? (
            <SkeletonRows rows={3} />
          ) : list.error !== null ? (
            <ErrorState
              what="The revisions could not be loaded."
              error={problemOf(list.error)}
              retry={() => void list.refetch()}
            />
          ) : (
            <ul aria-label="Revisions">
              {items.map((row) => (
                <RevisionRow
                  key={row.revision}
                  row={row}
                  isCurrent={row.revision === current}
                  isChosen={chosen.includes(row.revision)}
                  onToggle={() => toggle(row.revision)}
                  onCompare={() => setChosen([row.revision - 1, row.revision])}
                  restore={restore}
                />
              ))}
            </ul>
          )}
        </Card>
        <MoreButton list={list}>Older revisions</MoreButton>
      </div>
      {from !== undefined && to !== undefined && from !== to ? (
        <RevisionDiff key={`${from} ${to}`} from={from} to={to} />
      ) : (
        <p className="hidden rounded-lg border border-dashed border-line px-6 py-10 text-center text-muted lg:block">
          Choose two revisions to compare them.
        </p>
      )}
    </div>
  )
}

function RevisionRow({
  row,
  isCurrent,
  isChosen,
  onToggle,
  onCompare,
  restore,
}: {
  row: RevisionSummary
  isCurrent: boolean
  isChosen: boolean
  onToggle: () => void
  /** Compares it with the one before. */
  onCompare: () => void
  restore: ((revision: number) => Promise<void>) | null
}) {
  const { id } = usePipeline()
  const path = usePathname()
  return (
    <li className="flex items-start gap-3 border-b border-line px-4 py-2.5 last:border-0">
      <input
        type="checkbox"
        aria-label={`Compare revision ${row.revision}`}
        className="mt-1 size-4 accent-(--accent)"
        checked={isChosen}
        onChange={onToggle}
      />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2">
          <Link
            href={`/pipelines/${id}${isCurrent ? '' : `?revision=${row.revision}`}`}
            className="font-semibold hover:underline"
          >
            Revision {row.revision}
          </Link>
          {isCurrent && <span className="rounded-sm bg-accent-soft px-1.5 text-xs text-accent">current</span>}
        </div>
        {row.note !== null && <p className="mt-0.5 break-words whitespace-pre-line">{row.note}</p>}
        <p className="mt-0.5 text-xs text-faint">
          <RelativeTime at={row.created_at} /> by {row.created_by}
        </p>
      </div>
      {row.revision > 1 && (
        <Button asChild size="small" tone="quiet">
          <Link
            href={`${path}?from=${row.revision - 1}&to=${row.revision}`}
            aria-label={`What changed in revision ${row.revision}`}
            onClick={onCompare}
          >
            What changed
          </Link>
        </Button>
      )}
      {restore !== null && !isCurrent && (
        <Button
          size="small"
          tone="quiet"
          aria-label={`Restore revision ${row.revision}`}
          onClick={() => void restore(row.revision)}
        >
          <RotateCcw aria-hidden /> Restore
        </Button>
      )}
    </li>
  )
}
