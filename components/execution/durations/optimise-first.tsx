'use client'

import { useState } from 'react'
import type { NodeDurations } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { durationText } from '@/components/ui/times'

/** Nodes that are listed at first. */
const FIRST = 5

/** What can be made faster. Waiting for people, events or a time is named, but there is nothing to optimise about it. */
const KINDS = [
  { key: 'run_ms', text: 'work', look: 'bg-accent' },
  { key: 'queue_ms', text: 'in the queue', look: 'timeline-bar' },
] as const

const dataOf = (key: (typeof KINDS)[number]['key']) =>
  key === 'run_ms' ? {} : { 'data-kind': 'queued', 'data-status': 'queued' }

type Critical = NodeDurations['critical']
const sumOf = ({ run_ms: run, queue_ms: queue }: Critical): number => run + queue

/** What each node added to the critical paths of the latest runs, most first. Making any other node faster ends no run earlier. */
export function OptimiseFirst({
  nodes,
  runs,
  total,
  nameOf,
}: {
  nodes: readonly NodeDurations[]
  /** How many runs there are. */
  runs: number
  /** Milliseconds that all nodes added. */
  total: number
  nameOf: (id: string) => string
}) {
  const [all, setAll] = useState(false)
  const ranked = nodes.filter(({ critical }) => sumOf(critical) > 0)
  const waits = nodes.filter(({ critical }) => critical.wait_ms > 0)
  const longest = Math.max(1, ...ranked.map(({ critical }) => sumOf(critical)))
  const shown = all ? ranked : ranked.slice(0, FIRST)
  return (
    <Card
      title="What to optimise first"
      action={
        <ul aria-label="Legend" className="hidden gap-x-3 text-xs text-muted sm:flex">
          {KINDS.map(({ key, text, look }) => (
            <li key={key} className="flex items-center gap-1.5">
              <span aria-hidden {...dataOf(key)} className={`${look} h-3 w-5 rounded-sm`} />
              {text}
            </li>
          ))}
        </ul>
      }
    >
      <p className="border-b border-line px-4 py-2 text-xs text-muted">
        Time on the critical paths of the {runs === 1 ? 'latest run' : `latest ${runs} runs`}. Faster nodes
        elsewhere end no run earlier.
      </p>
      <ol aria-label="What to optimise first">
        {shown.map(({ node_id: id, critical }, at) => (
          <li
            key={id}
            data-optimise={id}
            className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 last:border-0 sm:grid-cols-[1.5rem_minmax(0,16rem)_minmax(0,1fr)_9rem] lg:grid-cols-[1.5rem_minmax(0,16rem)_minmax(0,1fr)_14rem]"
          >
            <span className="text-right text-faint">{at + 1}</span>
            <span className="truncate font-medium" title={id}>
              {nameOf(id)}
            </span>
            <span
              aria-hidden
              className="flex h-4 gap-px max-sm:order-last max-sm:col-span-2 max-sm:col-start-2"
            >
              {KINDS.map(({ key, look }) =>
                critical[key] === 0 ? null : (
                  <span
                    key={key}
                    {...dataOf(key)}
                    className={`${look} min-w-0.5 rounded-sm`}
                    style={{ width: `${(100 * critical[key]) / longest}%` }}
                  />
                ),
              )}
            </span>
            <span className="text-right">
              <span className="font-semibold">
                {Math.round((100 * sumOf(critical)) / Math.max(1, total))} %
              </span>
              <span className="ml-2 text-xs text-faint">
                {durationText(sumOf(critical) / Math.max(1, runs))} a run
                <span className="sr-only">{partsOf(critical)}</span>
                <span className="hidden lg:inline">
                  , in {critical.runs} of {runs}
                </span>
              </span>
            </span>
          </li>
        ))}
      </ol>
      {waits.length > 0 && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          Besides, the runs waited for people, events or a time:{' '}
          {waits
            .slice(0, FIRST)
            .map(
              ({ node_id: id, critical }) =>
                `${nameOf(id)} ${durationText(critical.wait_ms / Math.max(1, runs))} a run`,
            )
            .join(', ')}
          {waits.length > FIRST && ` and ${waits.length - FIRST} more`}.
        </p>
      )}
      {ranked.length > FIRST && (
        <div className="flex justify-center border-t border-line p-2">
          <Button size="small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? `Only the first ${FIRST}` : `All ${ranked.length}`}
          </Button>
        </div>
      )}
    </Card>
  )
}

/** The bar in words, for screen readers. */
const partsOf = (critical: Critical): string =>
  KINDS.flatMap(({ key, text }) =>
    critical[key] === 0 ? [] : [`, ${durationText(critical[key])} ${text}`],
  ).join('')
