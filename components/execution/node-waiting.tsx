'use client'

import { useMay } from '@/components/api'
import { ClockTime, RelativeTime } from '@/components/ui/time'
import type { NodeView } from '@/core/engine/view/view'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { awaitedEvents, waitOf } from './node-wait'
import { Part } from './panel-part'
import { useRun } from './run-context'
import { SendEvents } from './send-event'

type Props = { node: NodeView; compiled: CompiledNode }

/** When the next attempt of a node that is retried begins. */
export function NextAttempt({ node, compiled }: Props) {
  if (node.status !== 'retrying' || node.next_wake_at === null) return null
  return (
    <Part title="Next attempt">
      <p>
        Attempt {node.attempts + 1}
        {compiled.retry !== null && ` of ${compiled.retry.maxAttempts}`} at{' '}
        <ClockTime at={node.next_wake_at} />, <RelativeTime at={node.next_wake_at} />
      </p>
    </Part>
  )
}

/** What the node waits for, where no other part shows it. */
export function WaitsFor({ node, compiled }: Props) {
  const wait = waitOf(node, compiled)
  if (wait === null) return null
  return (
    <Part title="Waiting for">
      {'until' in wait ? (
        <p>
          Until <ClockTime at={wait.until} />, <RelativeTime at={wait.until} />
        </p>
      ) : (
        <p className="first-letter:uppercase">{wait.text}</p>
      )}
    </Part>
  )
}

/** The external events that the node waits for. Operators can send them. */
export function AwaitedEvents({ node, compiled }: Props) {
  const { view, past } = useRun()
  const mayOperate = useMay('operate')
  const awaited = awaitedEvents(node, compiled)
  if (past !== null || awaited.length === 0) return null
  return (
    <Part title="External events">
      <p className="text-muted">
        {awaited.length === 1 ? 'This event comes' : 'These events come'} from another system
        {mayOperate ? ', or you can send one here.' : `: ${awaited.join(', ')}.`}
      </p>
      {mayOperate && <SendEvents executionId={view.execution_id} types={awaited} />}
    </Part>
  )
}
