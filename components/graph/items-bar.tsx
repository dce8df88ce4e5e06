import { StatusIcon } from '@/components/ui/status'
import { cn } from '@/components/ui/class-names'
import type { NodeView } from '@/core/engine/view/view'
import { itemsText } from './model/drawing'

type Items = NonNullable<NodeView['items']>

const states = ['completed', 'failed', 'running'] as const

/** The items of a forEach as one bar: completed, failed, running, and empty space for the others. */
export function ItemsBar({ items, className }: { items: Items; className?: string }) {
  return (
    <span
      role="img"
      aria-label={`Items: ${itemsText(items)}`}
      className={cn('flex h-[3px] overflow-hidden rounded-full bg-line', className)}
    >
      {items.total > 0 &&
        states.map(
          (state) =>
            items[state] > 0 && (
              <span
                key={state}
                data-status={state}
                className="h-full min-w-[2px] bg-(--status)"
                style={{ width: `${(items[state] / items.total) * 100}%` }}
              />
            ),
        )}
    </span>
  )
}

/** The same as numbers with icons, without zero counts. */
export function ItemCounts({ items, className }: { items: Items; className?: string }) {
  return (
    <span title={itemsText(items)} className={cn('flex items-center gap-2 font-mono', className)}>
      {states.map(
        (state) =>
          (items[state] > 0 || state === 'completed') && (
            <span key={state} data-status={state} className="status-ink flex items-center gap-0.5">
              <StatusIcon status={state} className="size-3" />
              <span className="sr-only">{state} </span>
              {items[state]}
            </span>
          ),
      )}
      <span className="text-faint">of {items.total}</span>
    </span>
  )
}
