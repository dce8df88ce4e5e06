import { namesIn } from '@/components/graph/model/reasons'
import type { RollbackView } from '@/core/engine/view/view'
import { useRun } from './run-context'

const STATES: Readonly<Record<RollbackView['steps'][string]['status'], string>> = {
  pending: 'not undone yet',
  queued: 'waits for a slot',
  running: 'is being undone',
  retrying: 'is tried again',
  completed: 'undone',
  skipped: 'nothing to undo',
  failed: 'not undone',
}

/** Which nodes are undone, the first at the top; nodes of one line at the same time. `steps`: how far each is. */
export function RollbackOrder({
  order,
  steps = {},
}: {
  order: RollbackView['order']
  steps?: RollbackView['steps']
}) {
  const { pipeline } = useRun()
  const nameOf = namesIn(pipeline.nodes)
  return (
    <ol aria-label="Order of the rollback" className="flex list-inside list-decimal flex-col gap-1">
      {order.map((nodes, at) => (
        <li key={at} className="break-words">
          {nodes.map((id, place) => (
            <span key={id}>
              {place > 0 && ', '}
              {nameOf(id)}
              <Step step={steps[id]} />
            </span>
          ))}
        </li>
      ))}
    </ol>
  )
}

function Step({ step }: { step: RollbackView['steps'][string] | undefined }) {
  if (step === undefined) return null
  const { status, error, waiting_for: waits } = step
  const failed = status === 'failed'
  return (
    <span className={failed ? 'text-failed' : 'text-muted'}>
      {' '}
      ({failed && error !== null ? `not undone: ${error.message}` : (waits ?? STATES[status])})
    </span>
  )
}
