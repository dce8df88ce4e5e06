import { ThumbsDown, X } from 'lucide-react'
import { cn } from '@/components/ui/class-names'
import { firstLine } from '@/components/ui/error-summary'
import { rejectedBy } from '@/core/engine/rejection'
import { useRunPart } from './run-context'
import { RunNodeLink } from './run-node-link'
import { tallyOf } from './tally'

/**
 * Why the run failed, in one line that leads to the node: its panel has the whole error. No panel has an error of the run itself: the
 * line opens to all of that.
 */
export function RunFailure() {
  const { node, more, error } = useRunPart(({ view }) => {
    const { firstFailed, handledNodes } = tallyOf(view.nodes)
    const failed = view.nodes[firstFailed ?? '']
    const isNode = failed?.error != null && !failed.handled
    return {
      node: isNode ? firstFailed : null,
      more: view.metrics.tasks_failed - handledNodes.length,
      // The run repeats what its first failed node says, and names that node by its id.
      error: isNode ? failed.error : view.error,
    }
  })
  if (error === null) return null
  const line = firstLine(error.message)
  const isRejected = rejectedBy(error) !== null
  return (
    <div role="alert" className="mt-2 flex min-w-0 items-start gap-1.5 text-xs text-muted">
      {isRejected ? (
        <ThumbsDown aria-hidden className="mt-0.5 size-3.5 shrink-0 text-rejected" />
      ) : (
        <X aria-hidden className="mt-0.5 size-3.5 shrink-0 text-failed" />
      )}
      {node === null ? (
        <details className="min-w-0">
          <summary className={cn('cursor-pointer', isRejected ? 'text-rejected' : 'text-failed')}>
            {line}
          </summary>
          <p className="mt-1 break-words whitespace-pre-wrap">
            <code>{error.kind}</code> {error.message}
          </p>
        </details>
      ) : (
        <p className="min-w-0 break-words max-sm:line-clamp-3 sm:truncate" title={error.message}>
          <RunNodeLink id={node} />
          {isRejected ? ' was ' : ` failed${more > 1 ? ' first' : ''}: `}
          <span className={isRejected ? 'text-rejected' : 'text-failed'}>{line}</span>
        </p>
      )}
    </div>
  )
}
