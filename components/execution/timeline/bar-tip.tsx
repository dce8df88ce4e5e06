import { StatusIcon } from '@/components/ui/status'
import { durationText } from '@/components/ui/times'
import type { Bar } from './rows'

/** A bar that is pointed at or has the focus, and where it is on the screen. */
export type Tip = {
  readonly name: string
  readonly bar: Bar
  readonly rect: { readonly left: number; readonly top: number; readonly bottom: number }
}

const WIDTH = 340
const HEIGHT = 150

const clock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** The exact times of a bar, beside it. `end` is the present. Screen readers read them from the bar itself. */
export function BarTip({ tip: { name, bar, rect }, end }: { tip: Tip; end: number }) {
  const below = rect.bottom + 8 + HEIGHT < window.innerHeight
  return (
    <div
      role="tooltip"
      aria-hidden
      style={{
        left: Math.max(8, Math.min(rect.left, window.innerWidth - WIDTH - 8)),
        width: Math.min(WIDTH, window.innerWidth - 16),
        ...(below ? { top: rect.bottom + 8 } : { bottom: window.innerHeight - rect.top + 8 }),
      }}
      className="pointer-events-none fixed z-30 rounded-md border border-line bg-surface px-3 py-2 text-xs shadow-raised"
    >
      <p className="truncate font-medium">{name}</p>
      <p className="flex items-center gap-1.5 text-muted">
        <StatusIcon status={bar.status} className="size-3" /> {bar.title}
      </p>
      {bar.error !== null && <p className="line-clamp-2 break-words text-failed">{bar.error}</p>}
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 font-mono">
        <dt className="text-faint">Start</dt>
        <dd>{clock.format(bar.from)}</dd>
        <dt className="text-faint">End</dt>
        <dd>{bar.to === null ? 'still running' : clock.format(bar.to)}</dd>
        <dt className="text-faint">Took</dt>
        <dd>{exactDuration((bar.to ?? end) - bar.from)}</dd>
      </dl>
    </div>
  )
}

/** To the millisecond where the short text is not. */
function exactDuration(ms: number): string {
  const short = durationText(ms)
  return short.endsWith(' ms') ? short : `${short} (${Math.round(ms).toLocaleString('en-GB')} ms)`
}
