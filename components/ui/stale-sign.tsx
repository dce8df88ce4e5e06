import { TriangleAlert } from 'lucide-react'
import { cn } from './class-names'

/** A warning that something no longer matches its source. `why` is its label and tooltip; without it, text beside it must say so. */
export function StaleSign({ why, className }: { why?: string; className?: string }) {
  const sign = (
    <TriangleAlert
      aria-hidden
      className={cn('size-3.5 shrink-0 fill-(--stale-fill) text-(--stale-ink)', className)}
    />
  )
  if (why === undefined) return sign
  return (
    <span role="img" aria-label={`Stale. ${why}`} title={`Stale. ${why}`} className="inline-flex">
      {sign}
    </span>
  )
}
