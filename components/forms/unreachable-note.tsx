import { TriangleAlert } from 'lucide-react'

/** Says to everybody that an approval cannot be given, and what to do. */
export function UnreachableNote({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <p className="mb-3 flex items-start gap-2 text-xs text-warning">
      <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        It {text}: reject it, or cancel the run and publish a revision that asks for fewer.
      </span>
    </p>
  )
}
