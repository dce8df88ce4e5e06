import { Check, Circle, X } from 'lucide-react'
import type { CheckView } from '@/core/engine/view/view'

/** The checks of the pipeline, each with what it gave. */
export function CheckList({ checks }: { checks: readonly CheckView[] }) {
  return (
    <ul aria-label="Checks" className="flex flex-col gap-1.5">
      {checks.map((check, at) => (
        <li key={at} className="flex min-w-0 items-start gap-2">
          <Mark held={check.held} />
          <div className="min-w-0">
            <p className="break-words">{check.name}</p>
            {check.text !== null && (
              <p className="text-xs break-words text-failed">
                <span className="sr-only">does not hold: </span>
                {check.text}
              </p>
            )}
            {check.held === null && <p className="text-xs text-faint">Not evaluated</p>}
          </div>
        </li>
      ))}
    </ul>
  )
}

function Mark({ held }: Pick<CheckView, 'held'>) {
  if (held === null) return <Circle aria-hidden className="mt-1 size-3.5 shrink-0 text-faint" />
  if (!held) return <X aria-label="Fails" className="mt-1 size-3.5 shrink-0 text-failed" />
  return <Check aria-label="Holds" className="mt-1 size-3.5 shrink-0 text-completed" />
}
