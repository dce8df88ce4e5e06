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
import { typedEvent } from '@/core/engine/typed-event'
import { eventTone, filterEvents, pageOfEvents } from './event-filter'
import { ForkDialog } from './fork-dialog'
import { useRun } from './run-context'

/** The journal of a run: every event by seq, filtered by the address, newest page last. */
export function EventsTab() {
  const { events } = useRun()
  const params = useSearchParams()
  const text = params.get('q') ?? ''
  const level = params.get('level') ?? ''
  const [wanted, setWanted] = useState<number | null>(null)
  const [opened, setOpened] = useState<number | null>(null)
  const [forkAt, setForkAt] = useState<number | null>(null)
  const superseders = useMemo(() => supersedersOf(events), [events])
  const found = useMemo(() => filterEvents(events, text, level), [events, text, level])
  const { shown, page, pages } = pageOfEvents(found, wanted)
  const start = events[0] === undefined ? 0 : Date.parse(events[0].timestamp)

  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value === '') next.delete(name)
    else next.set(name, value)
    setWanted(null)
    writeQuery(next)
  }

  return (
    <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
      {forkAt !== null && <ForkDialog seq={forkAt} open onOpenChange={() => setForkAt(null)} />}
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <EventFilters text={text} level={level} onFilter={filter} />
        <span className="text-xs text-faint">
          {found.length === events.length
            ? `${events.length} events`
            : `${found.length} of ${events.length} events`}
        </span>
        {pages > 1 && (
          <span className="ml-auto flex items-center gap-1.5 text-xs text-muted">
            <Button size="small" disabled={page === 0} onClick={() => setWanted(page - 1)}>
              Earlier
            </Button>
            {page + 1} / {pages}
            <Button
              size="small"
              disabled={page === pages - 1}
              onClick={() => setWanted(page + 1 === pages - 1 ? null : page + 1)}
            >
              Later
            </Button>
          </span>
        )}
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
        {shown.length === 0 ? (
          <EmptyState icon={ListX} title="No events match">
            Change the filter to see more events.
          </EmptyState>
        ) : (
          <>
            <p className="border-b border-line px-3 py-2 text-xs text-muted">
              <code>read.started</code> is about the node <code>read</code> as a whole,{' '}
              <code>read.task.started</code> about one attempt of its work: a node has several where it is
              tried again.
            </p>
            <div
              aria-hidden
              className="flex min-h-8 items-center gap-3 border-b border-line px-3 text-xs font-medium text-faint"
            >
              <span className="w-9 shrink-0 text-right">No.</span>
              <span className="hidden w-20 shrink-0 text-right sm:block">After</span>
              <span>Event</span>
              <span className="ml-auto hidden sm:block">By</span>
            </div>
            <ol>
              {shown.map((event) => (
                <EventRow
                  key={event.seq}
                  event={event}
                  afterMs={Date.parse(event.timestamp) - start}
                  superseded={isSuperseded(event, superseders)}
                  open={opened === event.seq}
                  onToggle={() => setOpened(opened === event.seq ? null : event.seq)}
                  onFork={() => setForkAt(event.seq)}
                />
              ))}
            </ol>
          </>
        )}
      </div>
    </div>
  )
}

function EventFilters({
  text,
  level,
  onFilter,
}: {
  text: string
  level: string
  onFilter: (name: 'q' | 'level', value: string) => void
}) {
  return (
    <>
      <Input
        aria-label="Filter events by type or person"
        placeholder="Filter by type or person…"
        className="w-full sm:w-72"
        value={text}
        onChange={(event) => onFilter('q', event.target.value)}
      />
      <Select
        aria-label="Level"
        className="w-36"
        value={level}
        onChange={(event) => onFilter('level', event.target.value)}
      >
        <option value="">All levels</option>
        <option value="pipeline">Pipeline</option>
        <option value="node">Node</option>
        <option value="task">Task</option>
        <option value="external">External</option>
      </Select>
    </>
  )
}

/** Did a person complete the node? */
function isByHand(event: Event): boolean {
  const typed = typedEvent(event)
  return typed.level === 'node' && typed.word === 'completed' && typed.payload.by_hand !== undefined
}

function EventRow({
  event,
  afterMs,
  superseded,
  open,
  onToggle,
  onFork,
}: {
  event: Event
  /** Milliseconds after the start of the run. */
  afterMs: number
  superseded: boolean
  open: boolean
  onToggle: () => void
  onFork: () => void
}) {
  return (
    <li className="border-b border-line last:border-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="flex min-h-8 w-full items-center gap-3 px-3 text-left -outline-offset-2 hover:bg-sunken"
      >
        <span className="w-9 shrink-0 text-right font-mono text-xs text-faint">{event.seq}</span>
        <span
          title={event.timestamp}
          className="hidden w-20 shrink-0 text-right font-mono text-xs text-faint sm:block"
        >
          +{durationText(afterMs)}
        </span>
        <code
          className={cn(
            'min-w-0 truncate text-xs font-medium',
            superseded ? 'text-faint line-through' : eventTone(event.type),
          )}
        >
          {event.type}
        </code>
        {superseded && <span className="text-xs text-faint">superseded</span>}
        {isByHand(event) && <span className="shrink-0 text-xs text-muted">by hand</span>}
        <span className="ml-auto hidden truncate text-xs text-muted sm:block">{event.actor}</span>
      </button>
      {open && (
        <div className="px-3 pb-3 sm:pl-[8.75rem]">
          <JsonView value={event} />
          <Button size="small" className="mt-2" onClick={onFork}>
            <GitFork aria-hidden /> Fork from here…
          </Button>
        </div>
      )}
    </li>
  )
}
