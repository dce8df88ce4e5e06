import type { Segment } from '@/core/engine/timeline/chain'
import { cn } from '@/components/ui/class-names'
import { durationText } from '@/components/ui/times'
import { chainParts } from './rows'

/** Links that have room in one or two lines. */
const MOST = 8

/** What decided how long the run took, link by link, with the sum. */
export function ChainLine({
  chain,
  nameOf,
  onSelect,
}: {
  chain: readonly Segment[]
  nameOf: (id: string) => string
  onSelect: (node: string) => void
}) {
  const { parts, rest } = chainParts(chain, nameOf, MOST)
  const sum = chain.reduce((total, { from, to }) => total + to - from, 0)
  const chip = 'inline-flex h-6 max-w-64 items-center gap-1 rounded-sm px-1.5'
  return (
    <div className="flex flex-col gap-x-2 border-b border-line px-4 py-1.5 text-xs sm:max-h-24 sm:flex-row sm:items-baseline sm:overflow-y-auto">
      <h2 className="shrink-0 font-semibold text-accent">
        Critical path <span className="font-mono font-normal">{durationText(sum)}</span>
      </h2>
      <ol
        aria-label="Critical path"
        data-ms={sum}
        className="-ml-1.5 flex min-w-0 flex-wrap items-center sm:ml-0"
      >
        {parts.map(({ node, text, ms }, index) => (
          <li key={index} data-ms={ms} className="flex min-w-0 items-center">
            {index > 0 && (
              <span aria-hidden className="text-faint">
                ·
              </span>
            )}
            {node === null ? (
              <span className={cn(chip, 'text-faint')}>
                {text} <span className="font-mono">{durationText(ms)}</span>
              </span>
            ) : (
              <button
                type="button"
                onClick={() => onSelect(node)}
                className={cn(chip, 'min-w-0 text-muted hover:bg-sunken hover:text-ink')}
              >
                <span className="min-w-0 truncate">{text}</span>
                <span className="shrink-0 font-mono text-ink">{durationText(ms)}</span>
              </button>
            )}
          </li>
        ))}
        {rest.count > 0 && (
          <li data-ms={rest.ms} className="px-1.5 text-faint">
            and {rest.count} shorter, <span className="font-mono">{durationText(rest.ms)}</span>
          </li>
        )}
      </ol>
    </div>
  )
}
