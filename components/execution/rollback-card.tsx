import { Card } from '@/components/ui/card'
import { RelativeTime } from '@/components/ui/time'
import { namesIn } from '@/components/graph/model/reasons'
import type { RollbackView } from '@/core/engine/view/view'
import { RollbackOrder } from './rollback-order'
import { useRun } from './run-context'

const TRIGGERS: Readonly<Record<RollbackView['trigger'], string>> = {
  manual: 'Asked for by a person',
  verify_failed: 'A check does not hold',
  failed: 'A node failed',
  timeout: 'It took too long',
  resource_exhaustion: 'Resources ran out',
  security: 'A security rule was broken: a person has to run it again',
}

/** The latest rollback of the run: why, what, and how far it is. */
export function RollbackCard({ rollback }: { rollback: RollbackView }) {
  const { pipeline } = useRun()
  const nameOf = namesIn(pipeline.nodes)
  const { trigger, actor, reason, order, steps, irreversible, uncompensated, scope, target } = rollback
  const left = [...irreversible, ...uncompensated]
  return (
    <Card title="Rollback">
      <div className="flex flex-col gap-2 p-4">
        <p>
          {trigger === 'manual' ? `Asked for by ${actor}` : TRIGGERS[trigger]},{' '}
          <RelativeTime at={rollback.started_at} />
          {reason !== null && `: ${reason}`}
        </p>
        {target !== null && (
          <p className="text-muted">
            From the {scope} {scope === 'node' ? nameOf(target) : target} on
          </p>
        )}
        {order.length > 0 && <RollbackOrder order={order} steps={steps} />}
        {left.length > 0 && <p className="text-warning">Not undone: {left.map(nameOf).join(', ')}</p>}
      </div>
    </Card>
  )
}
