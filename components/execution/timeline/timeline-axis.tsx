import type { RefObject } from 'react'
import { cn } from '@/components/ui/class-names'
import { axisOf } from './axis'
import type { Viewport } from './viewport'

/** The height of the axis, in pixels. */
export const AXIS_PX = 30

/** The width of a letter of a tick, in pixels. */
const LETTER_PX = 7.5

/** The first row of the grid: ticks since `zero`, and how long nothing happened in each break. */
export function TimelineAxis({
  track,
  view,
  zero,
  narrow,
}: {
  /** Receives the element that is as wide as the bars are long. */
  track: RefObject<HTMLDivElement | null>
  view: Viewport
  zero: number
  narrow: boolean
}) {
  const { ticks, labels } = axisOf(view, zero)
  return (
    <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
      <div
        role="row"
        aria-rowindex={1}
        style={{ height: AXIS_PX }}
        className={cn('text-xs text-faint', !narrow && 'grid grid-cols-(--tracks)')}
      >
        <div
          role="columnheader"
          aria-colindex={1}
          className={cn('flex items-center border-r border-line px-3', narrow && 'sr-only')}
        >
          Node
        </div>
        <div
          ref={track}
          role="columnheader"
          aria-colindex={2}
          aria-label="Time"
          className="relative h-full overflow-hidden"
        >
          {ticks.map(({ pixel, text }) => (
            <span
              key={text}
              aria-hidden
              style={{ left: pixel }}
              className="absolute inset-y-0 flex items-center border-l border-line font-mono whitespace-nowrap"
            >
              {/* Behind the last tick there may be no room. */}
              <span
                className={cn('pl-1', pixel + text.length * LETTER_PX + 6 > view.width && 'absolute right-1')}
              >
                {text}
              </span>
            </span>
          ))}
          {labels.map(({ from, ms, pixel, text }) => (
            <span
              key={from}
              data-break={ms}
              title={`Nothing happened for ${text}. This gap is drawn shorter.`}
              style={{ left: pixel }}
              className="absolute top-1/2 -translate-1/2 rounded-sm border border-line-strong bg-sunken px-1 font-mono text-[11px] whitespace-nowrap text-muted"
            >
              {text}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}
