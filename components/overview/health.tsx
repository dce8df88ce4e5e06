'use client'

import { useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, problemOf, useRenewed } from '@/components/api'
import { Card } from '@/components/ui/card'
import { ErrorState, Skeleton } from '@/components/ui/states'
import { bytesText } from '@/components/ui/times'
import { ObjectivesCard } from './objectives'
import { Violations } from './violations'
import { WhoActsNext } from './who-acts-next'

const levels = { ok: '', near: ': nearly full', full: ': full, new runs are refused' }

/** The health of the server: violated invariants, who must act next, how full storage and slots are. */
export function Health({ title }: { title: (text: string) => ReactNode }) {
  const { data, error, isPending, refetch } = useQuery(
    // Other programs fill the disk too: no event reports that.
    api.health.get.queryOptions({}, { refetchInterval: 60_000 }),
  )
  useRenewed(['executions', 'slots', 'health'], [api.health.pathKey()])
  if (isPending)
    return (
      <div role="status" aria-label="Loading" className="flex flex-col gap-4">
        {title('Health')}
        <Skeleton className="h-16" />
        <Skeleton className="h-48" />
      </div>
    )
  // What was read stays while the server cannot be reached.
  if (data === undefined)
    return (
      <>
        {title('Health')}
        <ErrorState
          what="The health of the server could not be loaded."
          error={problemOf(error)}
          retry={() => void refetch()}
        />
      </>
    )
  const { violations, storage, queue, node } = data
  const full = storage.level !== 'ok'
  const wrong = violations.length + (full ? 1 : 0)
  return (
    <div className="flex flex-col gap-4">
      {title(wrong === 0 ? 'Health' : `▲ ${wrong} · Health`)}
      <p
        role="status"
        data-status={wrong === 0 ? 'completed' : 'failed'}
        className="status-tint flex items-center gap-2.5 rounded-lg border border-line px-4 py-3 font-medium"
      >
        {wrong === 0 ? (
          <CircleCheck aria-hidden className="status-ink size-5 shrink-0" />
        ) : (
          <TriangleAlert aria-hidden className="status-ink size-5 shrink-0" />
        )}
        {wrong === 0
          ? 'No problems found: every open run can make progress.'
          : wrong === 1
            ? '1 problem found.'
            : `${wrong} problems found.`}
      </p>
      {violations.length > 0 && <Violations violations={violations} />}
      <WhoActsNext queue={queue} />
      <ObjectivesCard />
      <Card title="Capacity">
        <dl className="grid gap-x-8 gap-y-4 px-4 py-4 sm:grid-cols-2 lg:grid-cols-5">
          <Share
            label="Storage"
            used={storage.database_bytes}
            of={storage.budget_bytes ?? 0}
            text={bytesText(storage.database_bytes)}
            note={`${storage.budget_bytes === null ? 'no limit is set' : `of ${bytesText(storage.budget_bytes)}`}${levels[storage.level]}`}
            bad={full}
          />
          <Fact
            label="Write-ahead log"
            text={bytesText(storage.wal_bytes)}
            note="of the database; it shrinks by itself"
          />
          <Fact
            label="Free on the disk"
            text={storage.disk_free_bytes === null ? 'unknown' : bytesText(storage.disk_free_bytes)}
            note=""
          />
          <Share
            label="Slots in use"
            used={queue.in_use}
            of={queue.slots}
            text={String(queue.in_use)}
            note={`of ${queue.slots}${queue.waiting > 0 ? `, ${queue.waiting} queued` : ''}`}
            bad={false}
          />
          {queue.children.capacity !== null && (
            <Share
              label="Child processes in use"
              used={queue.children.in_use}
              of={queue.children.capacity}
              text={String(queue.children.in_use)}
              note={childrenNote(queue.children)}
              bad={false}
            />
          )}
        </dl>
        <p className="border-t border-line px-4 py-3 text-xs text-muted">
          Node {node.version.replace(/^v/, '')}
          {node.recommended ? '' : ': it works but no longer gets fixes. Upgrade to 22 or newer.'}
        </p>
      </Card>
    </div>
  )
}

/** While some are free, who wants one waits for a slot. */
function childrenNote({ capacity, in_use, waiting }: Children): string {
  const full = capacity !== null && in_use >= capacity && waiting > 0
  return `of ${capacity}${full ? `, ${waiting} queued` : ''}`
}

type Children = { readonly capacity: number | null; readonly in_use: number; readonly waiting: number }

function Fact({
  label,
  text,
  note,
  children,
}: {
  label: string
  text: string
  note: string
  children?: ReactNode
}) {
  return (
    <div>
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="mt-0.5">
        <span className="flex items-baseline gap-2">
          <span className="text-lg font-semibold">{text}</span>
          <span className="truncate text-xs text-faint">{note}</span>
        </span>
        {children}
      </dd>
    </div>
  )
}

function Share({
  used,
  of,
  bad,
  ...fact
}: {
  label: string
  text: string
  note: string
  used: number
  of: number
  bad: boolean
}) {
  const share = of === 0 ? 0 : Math.min(1, used / of)
  return (
    <Fact {...fact}>
      <span aria-hidden className="mt-1 block h-1 overflow-hidden rounded-full bg-line">
        <span
          className={`block h-full transition-[width] duration-200 ${bad ? 'bg-danger' : 'bg-accent'}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
    </Fact>
  )
}
