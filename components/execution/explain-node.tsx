'use client'

import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { api, useRenewed } from '@/components/api'
import { namesIn, waitText } from '@/components/graph/model/reasons'
import { Link } from '@/components/ui/link'
import { isShort } from '@/core/engine/view/explain'
import { amountText, poolText } from '@/core/pipeline/definition/pool-text'
import type { NodeView, PoolView } from '@/core/engine/view/view'
import { CheckList } from './check-list'
import { ExplainTree } from './explain-tree'
import { Part } from './panel-part'
import { useRun } from './run-context'

type Props = { executionId: string; nodeId: string; node: NodeView }

/**
 * The gate leaf by leaf. Of a node that competes for a place, or whose work has not begun, it also asks the server, because only the
 * server knows who holds what.
 */
export function ExplainNode({ executionId, nodeId, node }: Props) {
  const { explain, past, pipeline } = useRun()
  const explanation = explain(nodeId)
  const unbegun = node.waiting_for?.kind === 'worker'
  const competes = node.status === 'queued' || (node.status === 'running' && node.items !== null) || unbegun
  const asks = competes && past === null
  const asked = { execution_id: executionId, node_id: nodeId }
  const { data } = useQuery(api.executions.explain.queryOptions(asked, { enabled: asks }))
  useRenewed(asks ? ['slots'] : [], [api.executions.explain.queryKey(asked)])
  // What the server said of another moment is not said of this one.
  const now = asks && data?.status === node.status ? data : null
  const open = node.status === 'pending' || node.status === 'queued' || unbegun
  // Who holds what a queued node waits for is listed below, by name and with links.
  const waits = (unbegun ? now?.waiting_for : null) ?? explanation.waiting_for
  return (
    <Part title={unbegun ? 'Why has it not begun?' : open ? 'Why is this not running?' : 'Start condition'}>
      {open && waits !== null && (
        <p className="mb-2 first-letter:uppercase">{waitText(waits, namesIn(pipeline.nodes))}</p>
      )}
      <ExplainTree tree={explanation.start_when} />
      {explanation.checks.length > 0 && (
        <div className="mt-3">
          <h4 className="mb-1 text-xs font-medium text-muted">Checks that read it</h4>
          <CheckList checks={explanation.checks} />
        </div>
      )}
      {now?.scheduling != null && (
        <div className="mt-2 flex flex-col gap-1 text-xs text-muted">
          <p>
            {now.scheduling.slots_in_use} of {now.scheduling.slots} slots in use
            {now.scheduling.position !== null && ` · number ${now.scheduling.position} in the queue`}
          </p>
          {now.scheduling.order !== null && (
            <p className="break-words first-letter:uppercase">{now.scheduling.order}</p>
          )}
          {now.scheduling.pools.filter(isShort).map((pool) => (
            <Holders key={pool.pool} pool={pool} executionId={executionId} />
          ))}
        </div>
      )}
    </Part>
  )
}

/** Who holds what the node waits for. */
function Holders({ pool, executionId }: { pool: PoolView; executionId: string }) {
  const { pipeline } = useRun()
  const nameOf = namesIn(pipeline.nodes)
  const { holders, others, more, capacity } = pool
  const text = (amount: number) => amountText(pool.pool, amount)
  const rest = [...others, ...(more > 0 ? [`${text(more)} more`] : [])]
  if (capacity !== null && pool.amount > capacity)
    return (
      <p className="break-words">
        Needs {text(pool.amount)} of {poolText(pool.pool)}, and there{' '}
        {capacity === 0 ? 'is none' : `are only ${text(capacity)}`}.
      </p>
    )
  return (
    <p className="break-words">
      {text(pool.in_use)} of {text(capacity ?? 0)} {poolText(pool.pool)} held by{' '}
      {holders.map(({ execution_id, node_id, attempts }, at) => (
        <Fragment key={`${execution_id}/${node_id}`}>
          {at > 0 && ', '}
          <Link
            href={`/executions/${execution_id}/graph?node=${encodeURIComponent(node_id)}`}
            className="text-accent underline underline-offset-2"
          >
            {execution_id === executionId ? nameOf(node_id) : `${node_id} of another run`}
          </Link>
          {attempts > 1 && ` (${attempts})`}
        </Fragment>
      ))}
      {holders.length > 0 && rest.length > 0 && ', '}
      {rest.join(', ')}
    </p>
  )
}
