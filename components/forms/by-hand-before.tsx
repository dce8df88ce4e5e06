import { Hand } from 'lucide-react'

/** Says to who decides which nodes before the approval people completed. */
export function ByHandBefore({ nodes }: { nodes: readonly string[] }) {
  if (nodes.length === 0) return null
  return (
    <p className="mb-3 flex items-start gap-2 text-xs text-warning">
      <Hand aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 break-words">Completed by hand before this: {nodes.join(', ')}</span>
    </p>
  )
}
