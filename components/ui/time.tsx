'use client'

import { createContext, useContext, useSyncExternalStore } from 'react'
import { durationText, exactText, relativeText } from './times'

const listeners = new Set<() => void>()
let present = 0
let ticker: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void) {
  listeners.add(listener)
  present = Date.now()
  ticker ??= setInterval(() => {
    present = Date.now()
    for (const each of listeners) each()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(ticker)
      ticker = undefined
    }
  }
}

/** The instant (milliseconds since the epoch) that counts as the present below, where the past is shown; null: the real present. */
export const PastNow = createContext<number | null>(null)

/** The present to the second, shared by everything on the page: one timer, however many clocks. 0 on the server. */
export function useNow(): number {
  const now = useSyncExternalStore(
    subscribe,
    () => present,
    () => 0,
  )
  return useContext(PastNow) ?? now
}

function instant(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at)
}

/** An instant as a relative time, exact on hover. Takes ISO 8601 or milliseconds since the epoch. */
export function RelativeTime({ at, className }: { at: string | number; className?: string }) {
  const now = useNow()
  const value = instant(at)
  if (Number.isNaN(value)) return null
  return (
    <time
      dateTime={new Date(value).toISOString()}
      title={exactText(value)}
      className={className}
      suppressHydrationWarning
    >
      {now === 0 ? '' : relativeText(value, now)}
    </time>
  )
}

/** An instant as local clock time, with its date where it is not today. Takes ISO 8601. */
export function ClockTime({ at }: { at: string }) {
  const now = useNow()
  const value = new Date(at)
  const isToday = value.toDateString() === new Date(now).toDateString()
  return (
    <time dateTime={at} title={exactText(value.getTime())} suppressHydrationWarning>
      {isToday ? value.toLocaleTimeString() : value.toLocaleString()}
    </time>
  )
}

/** How long something took, or has been going on when `to` is null. Mono, so that a column of them lines up. */
export function Duration({
  from,
  to,
  className,
}: {
  from: string | number
  to: string | number | null
  className?: string
}) {
  const now = useNow()
  const end = to === null ? now : instant(to)
  if (end === 0) return null
  return (
    <span className={className ?? 'font-mono text-xs'} suppressHydrationWarning>
      {durationText(end - instant(from))}
    </span>
  )
}
