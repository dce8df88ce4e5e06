'use client'

import { GitFork, ListX } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useMemo, useState } from 'react'
import type { Event } from '@/core/engine/event'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Input, Select } from '@/components/ui/field'
import { JsonView } from '@/components/ui/json-view'
import { EmptyState } from '@/components/ui/states'
import { durationText } from '@/components/ui/times'
import { writeQuery } from '@/components/ui/write-query'
import { isSuperseded, supersedersOf } from '@/core/engine/fold/superseded'
import { ForkDialog } from './fork-dialog'
import { useRun } from './run-context'

/** Rows that are laid out at once; a run may have many thousands. */
const pageSize = 200

function matches(event: Event, words: readonly string[], level: string): boolean {
  if (level !== '' && event.source.entity_type !== level) return false
  const text = `${event.type} ${event.actor ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

function toneOf(type: string): string {
  if (type.endsWith('.completed') || type.endsWith('.approved')) return 'text-completed'
  if (type.endsWith('.failed') || type.endsWith('.rejected') || type.endsWith('.timeout'))
    return 'text-failed'
  if (type.endsWith('.waiting')) return 'text-waiting'
  if (type.startsWith('external.')) return 'text-accent'
  return 'text-ink'
}

/** The journal of a run: every event by seq, filtered by the address, newest page last. */
export function EventsTab() {
  const { events } = useRun()
  const params = useSearchParams()
  const text = params.get('q') ?? ''
  const level = params.get('level') ?? ''
  const [page, setPage] = useState<number | null>(null)
  const [opened, setOpened] = useState<number | null>(null)
  const [forkAt, setForkAt] = useState<number | null>(null)
  const latest = useMemo(() => supersedersOf(events), [events])
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    return events.filter((event) => matches(event, words, level))
  }, [events, text, level])
  const pages = Math.max(1, Math.ceil(found.length / pageSize))
  const current = Math.min(page ?? pages - 1, pages - 1)
  const shown = found.slice(current * pageSize, (current + 1) * pageSize)
  const start = events[0] === undefined ? 0 : Date.parse(events[0].timestamp)

  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value === '') next.delete(name)
    else next.set(name, value)
    setPage(null)
    writeQuery(next)
  }

  return (
    <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
      {forkAt !== null && <ForkDialog seq={forkAt} open onOpenChange={() => setForkAt(null)} />}
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Input
          aria-label="Filter events by type or person"
          placeholder="Filter by type or person…"
          className="w-full sm:w-72"
          value={text}
          onChange={(event) => filter('q', event.target.value)}
        />
        <Select
          aria-label="Level"
          className="w-36"
          value={level}
          onChange={(event) => filter('level', event.target.value)}
        >
          <option value="">All levels</option>
          <option value="pipeline">Pipeline</option>
          <option value="node">Node</option>
          <option value="task">Task</option>
          <option value="external">External</option>
        </Select>
        <span className="text-xs text-faint">
          {found.length === events.length
            ? `${events.length} events`
            : `${found.length} of ${events.length} events`}
        </span>
        {pages > 1 && (
          <span className="ml-auto flex items-center gap-1.5 text-xs text-muted">
            <Button size="small" disabled={current === 0} onClick={() => setPage(current - 1)}>
              Earlier
            </Button>
            {current + 1} / {pages}
            <Button
              size="small"
              disabled={current === pages - 1}
              onClick={() => setPage(current + 1 === pages - 1 ? null : current + 1)}
            >
              Later
            </Button>
          </span>
        )}
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
        {shown.length === 0 ? (
          <EmptyState icon={ListX} title="No event fits">
            Change the filter to see the others.
          </EmptyState>
        ) : (
          <ol>
            {shown.map((event) => (
              <li key={event.seq} className="border-b border-line last:border-0">
                <button
                  type="button"
                  aria-expanded={opened === event.seq}
                  onClick={() => setOpened(opened === event.seq ? null : event.seq)}
                  className="flex min-h-8 w-full items-center gap-3 px-3 text-left -outline-offset-2 hover:bg-sunken"
                >
                  <span className="w-9 shrink-0 text-right font-mono text-xs text-faint">{event.seq}</span>
                  <span
                    title={event.timestamp}
                    className="hidden w-20 shrink-0 text-right font-mono text-xs text-faint sm:block"
                  >
                    +{durationText(Date.parse(event.timestamp) - start)}
                  </span>
                  <code
                    className={cn(
                      'min-w-0 truncate text-xs font-medium',
                      isSuperseded(event, latest) ? 'text-faint line-through' : toneOf(event.type),
                    )}
                  >
                    {event.type}
                  </code>
                  {isSuperseded(event, latest) && <span className="text-xs text-faint">superseded</span>}
                  <span className="ml-auto hidden truncate text-xs text-muted sm:block">{event.actor}</span>
                </button>
                {opened === event.seq && (
                  <div className="px-3 pb-3 sm:pl-[8.75rem]">
                    <JsonView value={event} />
                    <Button size="small" className="mt-2" onClick={() => setForkAt(event.seq)}>
                      <GitFork aria-hidden /> Fork from here…
                    </Button>
                  </div>
                )}
              </li>
            ))}
          </ol>
        )}
      </div>
    </div>
  )
}
