import { StaleSign } from '@/components/ui/stale-sign'

/** Says that the data of a node is stale, and why. */
export function StaleNote({ why }: { why: string }) {
  return (
    <p
      role="status"
      className="flex items-start gap-2 rounded-md border border-(--stale-fill) bg-(--stale-fill)/10 px-2.5 py-1.5 text-xs"
    >
      <StaleSign className="mt-px" />
      <span className="min-w-0">
        <span className="font-semibold">Stale.</span> {why}
      </span>
    </p>
  )
}
