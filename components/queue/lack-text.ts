import type { QueuedNode } from '@/components/api'
import { amountText, placeText, poolText } from '@/core/pipeline/definition/pool-text'

/** What a node waits for, and what would let it go, in words. */
export function lackText({ pool, reason, amount, in_use, capacity }: QueuedNode['waits_for']): string {
  const text = (of: number) => amountText(pool, of)
  switch (reason) {
    case 'too_large':
      return capacity === 0
        ? `${poolText(pool)}: there is none, an admin has to make it`
        : `${text(amount)} of ${poolText(pool)}: there are only ${text(capacity)}, an admin has to enlarge it`
    case 'full': {
      const needed = amount === 1 ? '' : `, needs ${text(amount)}`
      return `${placeText(pool)}: ${text(in_use)} of ${text(capacity)} in use${needed}`
    }
    case 'behind_others':
      return `its turn for ${poolText(pool)}: those before it come first`
  }
}
