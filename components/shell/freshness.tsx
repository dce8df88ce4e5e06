'use client'

import { useSyncExternalStore } from 'react'
import { tabStream } from '@/components/api'
import { cn } from '@/components/ui/class-names'
import { useNow } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'

const faces = {
  connecting: { text: 'Connecting', dot: 'bg-faint' },
  live: { text: 'Live', dot: 'bg-accent' },
  reconnecting: { text: 'Reconnecting', dot: 'bg-warning' },
  polling: { text: 'Updating every few seconds', dot: 'bg-warning' },
  signed_out: { text: 'Signed out', dot: 'bg-danger' },
} as const

/** Whether the page is live, and how far it may be behind. */
export function FreshnessMark() {
  const freshness = useSyncExternalStore(tabStream.watch, tabStream.freshness, () => 'connecting' as const)
  const face = faces[freshness]
  return (
    <span className="flex min-w-0 items-center gap-2 px-2.5 text-xs whitespace-nowrap text-muted">
      <span aria-hidden className={cn('size-1.5 shrink-0 rounded-full', face.dot)} />
      <span
        className="min-w-0 truncate"
        title={
          freshness === 'polling'
            ? 'A proxy blocks the live stream, so this page asks the server every few seconds.'
            : undefined
        }
      >
        <span role="status">
          {freshness === 'signed_out' ? (
            <a href="/sign-in" className="underline">
              Signed out: sign in again
            </a>
          ) : (
            face.text
          )}
        </span>
        {(freshness === 'live' || freshness === 'reconnecting') && <Behind />}
      </span>
    </span>
  )
}

/** A page that is less behind says nothing of it. */
const NOTABLE_MS = 2_000

/** Not part of the status: screen readers would announce every change. */
function Behind() {
  useNow()
  const behind = tabStream.behind()
  // What is shown is as good as live until then: a small number would read like a fault.
  if (behind === null || behind < NOTABLE_MS) return null
  // Rounded up: the page is never further behind than it says.
  const text =
    behind < 9_900 ? `${(Math.max(1, Math.ceil(behind / 100)) / 10).toFixed(1)} s` : durationText(behind)
  return <span className="text-faint">, {text} behind</span>
}
