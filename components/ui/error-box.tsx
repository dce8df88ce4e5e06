import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { errorSummary } from './error-summary'

/** An error: what happened, and the rest of its message and its details on demand. */
export function ErrorBox({
  error: { kind, message },
  details,
}: {
  error: { readonly kind: string; readonly message: string }
  /** What there is to say beside the message. */
  details?: ReactNode
}) {
  const { summary, rest } = errorSummary(message)
  return (
    <div role="alert" className="rounded-md border border-failed/40 bg-failed/8 px-3 py-2">
      <code className="text-xs font-semibold text-failed">{kind}</code>
      <p className="mt-0.5 break-words whitespace-pre-wrap">{summary}</p>
      {(rest !== '' || details !== undefined) && (
        <details className="group mt-1.5">
          <summary className="inline-flex cursor-pointer list-none items-center gap-1 rounded-sm text-xs font-medium text-muted hover:text-ink">
            <ChevronRight aria-hidden className="size-3.5 transition-transform group-open:rotate-90" />
            Details
          </summary>
          {rest !== '' && (
            <pre className="mt-1.5 sm:max-h-80 overflow-auto font-mono text-xs break-words whitespace-pre-wrap text-muted">
              {rest}
            </pre>
          )}
          {details}
        </details>
      )}
    </div>
  )
}
