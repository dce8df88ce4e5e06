import { useEffect, useMemo, useRef, useState } from 'react'
import type { Event } from '@/core/engine/event'

export const SPEEDS = [1, 10, 100] as const

/** The longest wait between two events while playing, at any speed. */
const LONGEST_MS = 1_500
/** Events that follow each other faster are shown together. The second applies to people who prefer reduced motion. */
const FRAME_MS = 50
const CALM_MS = 1_000

/** The event that is shown next when a run is played, and after how many milliseconds. `at`: the seq that is shown. */
export function nextShown(
  events: readonly Pick<Event, 'timestamp'>[],
  at: number,
  { speed, atLeast }: { speed: number; atLeast: number },
): { readonly seq: number; readonly afterMs: number } | null {
  let afterMs = 0
  let seq = at
  while (seq < events.length && afterMs < atLeast) {
    const gap =
      Date.parse(events[seq]!.timestamp) - Date.parse(events[seq - 1]?.timestamp ?? events[seq]!.timestamp)
    const wait = Math.min(Math.max(0, gap) / speed, LONGEST_MS)
    if (seq > at && afterMs + wait > atLeast) break
    afterMs += wait
    seq += 1
  }
  return seq === at ? null : { seq, afterMs: Math.max(afterMs, atLeast) }
}

export type Playback = {
  readonly playing: boolean
  /** A factor: 10 plays ten times as fast as it happened. */
  readonly speed: number
  readonly setSpeed: (speed: number) => void
  readonly stop: () => void
  readonly toggle: () => void
}

/** Plays the run from the shown instant to its last event. The same object while neither `playing` nor `speed` changes. */
export function usePlay(events: readonly Event[], at: number, go: (seq: number) => void): Playback {
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<number>(1)
  // New events of a live run must not restart the current step.
  const latest = useRef({ events, at, go })
  latest.current = { events, at, go }
  useEffect(() => {
    if (!playing) return
    const { events, go } = latest.current
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const next = nextShown(events, at, { speed, atLeast: calm ? CALM_MS : FRAME_MS })
    if (next === null) {
      setPlaying(false)
      return
    }
    const timer = setTimeout(() => go(next.seq), next.afterMs)
    return () => clearTimeout(timer)
  }, [playing, speed, at])
  return useMemo(
    () => ({
      playing,
      speed,
      setSpeed,
      stop: () => setPlaying(false),
      toggle: () => {
        const { events, at, go } = latest.current
        // At the end, start from the beginning.
        if (!playing && at >= events.length) go(1)
        setPlaying(!playing)
      },
    }),
    [playing, speed],
  )
}
