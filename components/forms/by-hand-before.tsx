import { Hand } from 'lucide-react'

/** Says to who decides which nodes before the approval people completed, also of the runs above and below. */
export function ByHandBefore({
  nodes,
  nameOf,
}: {
  nodes: readonly string[]
  nameOf: (id: string) => string
}) {
  if (nodes.length === 0) return null
  return (
    <p className="mb-3 flex items-start gap-2 text-xs text-warning">
      <Hand aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        Completed by hand before this: {nodes.map((each) => textOf(each, nameOf)).join(', ')}
      </span>
    </p>
  )
}

/** A node of another run is `PIPELINE/NODE`. */
function textOf(node: string, nameOf: (id: string) => string): string {
  const [pipeline, id] = node.split('/')
  return id === undefined ? nameOf(node) : `${id} of ${pipeline}`
}
