import { Link } from '@/components/ui/link'
import { useMemo } from 'react'
import { errorSummary, firstLine } from '@/components/ui/error-summary'
import { Duration, RelativeTime } from '@/components/ui/time'
import { StatusIcon, statusText } from '@/components/ui/status'
import type { NodeView } from '@/core/engine/view/view'
import { ItemCounts, ItemsBar } from '@/components/graph/items-bar'
import { attemptGroups, attemptsOf, type Attempt } from './attempts'
import { Part } from './panel-part'
import { useRun } from './run-context'

/** Attempts that are drawn: a forEach may have many thousands. */
const mostRows = 50

/** Every attempt of a node; of a forEach by item, failed items first. `shown`: errors that the panel says already. */
export function NodeAttempts({ nodeId, shown }: { nodeId: string; shown: readonly string[] }) {
  const { events } = useRun()
  const { groups, more } = useMemo(
    () => attemptGroups(attemptsOf(events, nodeId), mostRows),
    [events, nodeId],
  )
  if (groups.length === 0) return null
  // The child run of a single attempt is shown by the node itself.
  const several = more > 0 || groups.length > 1 || (groups[0]?.attempts.length ?? 0) > 1
  return (
    <Part title="Attempts">
      <ul className="flex flex-col gap-2">
        {groups.map((group) => (
          <li key={group.item ?? 'node'}>
            {group.item !== null && (
              <p className="flex items-center gap-1.5 text-xs">
                <StatusIcon status={group.status} className="size-3" />
                <span className="font-medium">Item {group.item}</span>
                <span className="sr-only">{statusText(group.status)}</span>
              </p>
            )}
            <ol
              className={group.item === null ? 'flex flex-col gap-1' : 'ml-[5px] border-l border-line pl-3'}
            >
              {group.attempts.map((attempt) => (
                <Row
                  key={`${attempt.generation}/${attempt.attempt}/${attempt.startedAt}`}
                  attempt={attempt}
                  error={attempt.error === null || shown.includes(attempt.error) ? null : attempt.error}
                  leads={several}
                />
              ))}
            </ol>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="mt-2 text-xs text-faint">
          and {more} more {more === 1 ? 'item' : 'items'}
        </p>
      )}
    </Part>
  )
}

function Row({ attempt, error, leads }: { attempt: Attempt; error: string | null; leads: boolean }) {
  return (
    <li className="flex items-center gap-2 text-xs">
      <span className="font-mono text-faint">
        {attempt.generation > 1 && `generation ${attempt.generation} · `}#{attempt.attempt}
      </span>
      <span data-status={attempt.status} className="status-ink font-medium">
        {attempt.text}
      </span>
      {error !== null && (
        <span className="min-w-0 truncate text-muted" title={error}>
          {firstLine(error)}
        </span>
      )}
      {attempt.nextAt !== null && (
        <span data-status="retrying" className="status-ink shrink-0">
          again <RelativeTime at={attempt.nextAt} />
        </span>
      )}
      <span className="ml-auto flex shrink-0 items-center gap-2">
        {leads && attempt.child !== null && (
          <Link href={`/executions/${attempt.child}`} className="font-medium text-accent hover:underline">
            Open its run
          </Link>
        )}
        <Duration from={attempt.startedAt} to={attempt.endedAt} />
      </span>
    </li>
  )
}

/** How many items of a forEach have ended, and how many are still to come. */
export function NodeItems({ items }: { items: NonNullable<NodeView['items']> }) {
  const left = items.total - items.completed - items.failed - items.running
  return (
    <Part title="Items" note={left > 0 ? `${left} to come` : null}>
      <ItemsBar items={items} className="h-1.5" />
      <ItemCounts items={items} className="mt-1.5 text-xs" />
    </Part>
  )
}

/** The items that finally failed where failures are allowed, from the node's output `item_errors`. */
export function ItemErrors({ value }: { value: unknown }) {
  if (!Array.isArray(value) || value.length === 0) return null
  const errors = value as readonly { index?: unknown; kind?: unknown; message?: unknown }[]
  return (
    <Part title="Items that failed" note={`${errors.length}`}>
      <ul className="flex flex-col gap-1.5">
        {errors.slice(0, mostRows).map((error) => (
          <li key={String(error.index)} className="rounded-md bg-sunken px-2.5 py-1.5 text-xs">
            <span className="font-medium">Item {String(error.index)}</span>{' '}
            <code className="text-failed">{String(error.kind)}</code>
            <p className="break-words whitespace-pre-wrap text-muted" title={String(error.message)}>
              {errorSummary(String(error.message)).summary}
            </p>
          </li>
        ))}
      </ul>
      {errors.length > mostRows && (
        <p className="mt-2 text-xs text-faint">and {errors.length - mostRows} more</p>
      )}
    </Part>
  )
}
