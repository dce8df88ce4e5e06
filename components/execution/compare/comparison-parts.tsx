import { cn } from '@/components/ui/class-names'
import { durationText } from '@/components/ui/times'
import type { Event } from '@/core/engine/event'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { ExecutionView } from '@/core/engine/view/view'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'

/** One of the two runs that are compared. */
export type ComparedRun = {
  readonly view: ExecutionView
  readonly pipeline: CompiledPipeline
  readonly timeline: Timeline
  /** Another array whenever there are more events: the timeline is folded in place. */
  readonly events: readonly Event[]
}

export type Side = 'before' | 'after'

const FILLS = { before: 'bg-line-strong', after: 'bg-accent' } as const

/** The colour of a run in bars: the baseline is grey, the run of the page has the accent. */
export function SideMark({ side }: { side: Side }) {
  return <span aria-hidden className={cn('size-2.5 shrink-0 rounded-[3px]', FILLS[side])} />
}

/** Two durations as bars on one scale, with their text. */
export function PairedBars({
  before,
  after,
  longest,
  className,
}: {
  /** Milliseconds; null: there is none. */
  before: number | null
  after: number | null
  longest: number
  className?: string
}) {
  const bar = (side: Side, ms: number | null) => (
    <span className="block h-1.5">
      {ms !== null && (
        <span
          className={cn('block h-full min-w-0.5 rounded-full', FILLS[side])}
          style={{ width: `${longest === 0 ? 0 : (100 * ms) / longest}%` }}
        />
      )}
    </span>
  )
  return (
    <span aria-hidden className={cn('flex flex-col gap-0.5', className)}>
      {bar('before', before)}
      {bar('after', after)}
    </span>
  )
}

/** `took 3.2 s less (−40 %)`; milliseconds. */
export function changeText(was: number, is: number): string {
  if (was === is) return 'took as long'
  const share = was === 0 ? '' : ` (${signed(Math.round((100 * (is - was)) / was))} %)`
  return `took ${durationText(Math.abs(is - was))} ${is > was ? 'more' : 'less'}${share}`
}

const signed = (figure: number): string => (figure < 0 ? `−${-figure}` : `+${figure}`)

/** A change of a duration with its sign. Milliseconds; null: nothing to compare. */
export function ChangeOf({ ms, notable }: { ms: number | null; notable: boolean }) {
  if (ms === null) return <span className="text-faint">–</span>
  return (
    <span
      className={cn('font-mono text-xs', !notable ? 'text-faint' : ms > 0 ? 'text-failed' : 'text-completed')}
    >
      {ms === 0 ? '0 ms' : `${ms > 0 ? '+' : '−'}${durationText(Math.abs(ms))}`}
    </span>
  )
}
