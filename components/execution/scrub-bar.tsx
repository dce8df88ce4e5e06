'use client'

import { ChevronLeft, ChevronRight, GitCompareArrows, GitFork, History, Pause, Play, X } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { memo, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useMay } from '@/components/api'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Select } from '@/components/ui/field'
import { useListShortcuts } from '@/components/ui/listed-shortcuts'
import { durationText } from '@/components/ui/times'
import type { Event } from '@/core/engine/event'
import { ForkDialog } from './fork-dialog'
import { useRun } from './run-context'
import { useRunNow, useScrub } from './scrub'
import { msAfterStart, steppedTo } from './shown-instants'
import { SinceThen } from './since-then'
import { SPEEDS, usePlay, type Playback } from './use-play'

const SHORTCUTS = [
  { title: 'Instants of a run', rows: [{ keys: ['←', '→'], text: 'Previous or next event' }] },
]

/** Tabs that people open for what came of a run: when it has ended, its moments would only stand above that. */
const RESULTS: ReadonlySet<string> = new Set(['artifacts', 'variables', 'summary'])

/** Moves everything that is shown of the run to another of its instants: event by event, by hand, or by playing. */
export function ScrubBar() {
  const live = useRunNow()
  const { here, seq, since, missing, go, compare } = useScrub()
  const mayOperate = useMay('operate')
  const [fork, setFork] = useState(false)
  const last = live.events.length
  const at = seq ?? last
  const play = usePlay(live.events, at, go)
  const shown = useRef({ seq, last })
  shown.current = { seq, last }
  const step = useCallback(
    (by: number) => {
      play.stop()
      go(steppedTo(by, shown.current))
    },
    [play, go],
  )
  useListShortcuts(SHORTCUTS)
  useStepKeys(step, here)
  const isPast = seq !== null
  const tab = usePathname().split('/').at(-1) ?? ''
  const isResult = RESULTS.has(tab) && live.view.closed_at !== null && !isPast && since === null
  if (!here || isResult) return null
  return (
    <section
      aria-label="Instant"
      data-status={isPast ? 'waiting' : undefined}
      className={cn('border-b border-line bg-surface', isPast && 'status-tint')}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1 lg:px-5">
        {isPast && (
          <PastNotice
            isOver={live.view.closed_at !== null}
            onLive={() => {
              play.stop()
              go(null)
            }}
          />
        )}
        <PlayControls play={play} isFirst={at <= 1} isLast={at >= last} isShort={last < 2} step={step} />
        <InstantSlider
          events={live.events}
          at={at}
          isPast={isPast}
          onChange={(to) => {
            play.stop()
            go(to)
          }}
        />
        {(isPast || since !== null) && (
          <Button size="small" onClick={() => compare(since === null ? at : null)}>
            <GitCompareArrows aria-hidden />
            <span className="max-sm:sr-only">{since === null ? 'Compare from here' : 'End comparison'}</span>
          </Button>
        )}
        {isPast && mayOperate && (
          <>
            <Button size="small" onClick={() => setFork(true)}>
              <GitFork aria-hidden /> <span className="max-sm:sr-only">Fork from here…</span>
            </Button>
            <ForkDialog seq={at} open={fork} onOpenChange={setFork} />
          </>
        )}
      </div>
      {missing && <MissingNotice onClose={() => go(seq)} />}
      {since !== null && <SinceThen since={since} at={at} />}
    </section>
  )
}

function PastNotice({ isOver, onLive }: { isOver: boolean; onLive: () => void }) {
  return (
    <div role="status" className="flex items-center gap-3 max-sm:w-full max-sm:justify-between">
      <strong className="flex items-center gap-1.5 text-xs font-semibold text-waiting">
        <History aria-hidden className="size-3.5" /> Viewing the past
      </strong>
      <Button size="small" onClick={onLive}>
        {isOver ? 'Back to the end' : 'Back to live'}
      </Button>
    </div>
  )
}

function MissingNotice({ onClose }: { onClose: () => void }) {
  return (
    <div
      role="status"
      className="flex items-center gap-2 border-t border-line px-4 py-0.5 text-xs text-muted lg:px-6"
    >
      <p className="min-w-0">This run has no such event. Showing the run as it is now.</p>
      <Button tone="quiet" size="icon" aria-label="Dismiss" onClick={onClose}>
        <X aria-hidden />
      </Button>
    </div>
  )
}

/** Memoized: a run that goes on does not change it. */
const PlayControls = memo(function PlayControls({
  play,
  isFirst,
  isLast,
  isShort,
  step,
}: {
  play: Playback
  /** The first, or the last, event is shown. */
  isFirst: boolean
  isLast: boolean
  /** There is nothing to play. */
  isShort: boolean
  step: (by: number) => void
}) {
  return (
    <div className="flex items-center">
      <Button
        tone="quiet"
        size="icon"
        aria-label="Previous event"
        title="Previous event (←)"
        disabled={isFirst}
        onClick={() => step(-1)}
      >
        <ChevronLeft aria-hidden />
      </Button>
      <Button
        tone="quiet"
        size="icon"
        aria-label={play.playing ? 'Stop playing' : 'Play'}
        title={play.playing ? 'Stop playing' : 'Play from here'}
        disabled={isShort}
        onClick={play.toggle}
      >
        {play.playing ? <Pause aria-hidden /> : <Play aria-hidden />}
      </Button>
      <Button
        tone="quiet"
        size="icon"
        aria-label="Next event"
        title="Next event (→)"
        disabled={isLast}
        onClick={() => step(1)}
      >
        <ChevronRight aria-hidden />
      </Button>
      <Select
        aria-label="Speed"
        className="ml-1 h-7 w-[4.5rem] pr-1 text-xs"
        value={play.speed}
        onChange={({ target }) => play.setSpeed(Number(target.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </Select>
    </div>
  )
})

/** Chooses an event by hand, and says which one is shown and how many slots are in use there. */
function InstantSlider({
  events,
  at,
  isPast,
  onChange,
}: {
  events: readonly Event[]
  at: number
  isPast: boolean
  onChange: (seq: number) => void
}) {
  const { slots } = useRun()
  const last = events.length
  const type = events[at - 1]?.type ?? ''
  const after = durationText(msAfterStart(events, at))
  return (
    <>
      <input
        type="range"
        aria-label="Instant of the run"
        aria-valuetext={`event ${at} of ${last}, ${type}, ${after} after the start`}
        min={1}
        max={Math.max(1, last)}
        value={at}
        onChange={({ target }) => onChange(Number(target.value))}
        className="h-6 min-w-40 flex-1 accent-(--accent)"
      />
      <span className="flex min-w-0 items-baseline gap-2 text-xs text-muted max-sm:min-w-[55%] max-sm:flex-1">
        <span className="font-mono whitespace-nowrap tabular-nums">
          {at} of {last}
        </span>
        {isPast && (
          <>
            <span className="font-mono whitespace-nowrap">+{after}</span>
            <code className="max-w-56 min-w-0 truncate" title={type}>
              {type}
            </code>
          </>
        )}
        {slots > 0 && (
          <span className="whitespace-nowrap" title="How many attempts work at that moment">
            {slots} {slots === 1 ? 'slot' : 'slots'} in use
          </span>
        )}
      </span>
    </>
  )
}

/** ← and → step while nothing else uses them: nothing has the focus, or a button of the bar has. */
function useStepKeys(step: (by: number) => void, here: boolean): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    const { activeElement: focus } = document
    const free = focus === null || focus === document.body
    if (
      by === 0 ||
      !(free || (focus instanceof HTMLButtonElement && focus.closest('[aria-label="Instant"]')))
    )
      return
    event.preventDefault()
    step(by)
  })
  useEffect(() => {
    if (!here) return
    const listener = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [here])
}
