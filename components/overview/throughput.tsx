import type { EndedHour } from '@/components/api'
import { cn } from '@/components/ui/class-names'
import { countOf, hourText, sumEnded, sumHours, throughputText, type Ended } from './throughput-text'

/** From bottom to top. */
const PARTS = [
  { key: 'completed', look: 'bg-completed/70' },
  { key: 'handled', look: 'bg-warning/80' },
  { key: 'failed', look: 'bg-failed' },
  { key: 'other', look: 'bg-cancelled/60' },
] as const

/** How many runs ended in each of the last hours, by outcome: a small chart, and its figures as text. */
export function Throughput({ hours }: { hours: readonly EndedHour[] }) {
  const ended = hours.map((hour) => ({ from: hour.from, ...sumEnded(hour) }))
  const most = Math.max(1, ...ended.map(countOf))
  const total = sumHours(hours)
  return (
    <section
      aria-label="Runs that ended in the last 24 hours"
      className="flex flex-wrap items-end gap-x-6 gap-y-2 rounded-lg border border-line bg-surface px-4 py-3 shadow-card"
    >
      <div className="min-w-40">
        <h2 className="text-xs text-muted">Ended in the last {hours.length} hours</h2>
        <p className="mt-1 flex items-baseline gap-2">
          <span className="text-2xl leading-8 font-semibold">{countOf(total)}</span>
          <span className="text-xs text-faint">
            {total.failed > 0 && <span className="text-failed">{total.failed} failed or rejected</span>}
            {total.failed > 0 && total.handled > 0 && ', '}
            {total.handled > 0 && (
              <span className="text-warning">{total.handled} with a failure handled</span>
            )}
            {total.failed + total.handled > 0 && total.other > 0 && ', '}
            {total.other > 0 && `${total.other} cancelled`}
          </span>
        </p>
      </div>
      <div
        role="img"
        aria-label={throughputText(ended)}
        className="flex h-12 min-w-48 flex-1 items-end gap-[3px] border-b border-line-strong"
      >
        {ended.map((hour) => (
          <span
            key={hour.from}
            title={`${hourText(hour.from)}: ${partsText(hour)}`}
            className="flex h-full min-w-0 flex-1 flex-col-reverse overflow-hidden rounded-t-xs hover:bg-sunken"
          >
            {PARTS.map(({ key, look }) =>
              hour[key] === 0 ? null : (
                <span
                  key={key}
                  className={cn('min-h-0.5', look)}
                  style={{ height: `${(100 * hour[key]) / most}%` }}
                />
              ),
            )}
          </span>
        ))}
      </div>
    </section>
  )
}

const partsText = ({ completed, handled, failed, other }: Ended): string =>
  `${completed} completed, ${handled === 0 ? '' : `${handled} with a failure handled, `}${failed} failed or rejected${other === 0 ? '' : `, ${other} cancelled`}`
