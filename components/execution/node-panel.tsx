'use client'

import { Pencil, Recycle, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '@/components/api'
import { isReused } from '@/components/graph/model/drawing'
import { namesIn, skipText } from '@/components/graph/model/reasons'
import { NodeHeading } from '@/components/graph/node-heading'
import { Button } from '@/components/ui/button'
import { ErrorBox } from '@/components/ui/error-box'
import { JsonView } from '@/components/ui/json-view'
import { Link } from '@/components/ui/link'
import { MockMark } from '@/components/ui/run-badge'
import { ScrollArea } from '@/components/ui/scroll-area'
import { nodeStatus, StatusBadge } from '@/components/ui/status'
import { Duration, RelativeTime } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { isRecord } from '@/core/pipeline/json'
import type { NodeView } from '@/core/engine/view/view'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { CompleteByHand } from './complete-by-hand'
import { ExplainNode } from './explain-node'
import { Logs } from './logs'
import { NodeApproval } from './node-approval'
import { ItemErrors, NodeAttempts, NodeItems } from './node-attempts'
import { NodeChild } from './node-child'
import { NodeFiles } from './node-files'
import { NodeValues } from './node-values'
import { AwaitedEvents, NextAttempt, WaitsFor } from './node-waiting'
import { Part } from './panel-part'
import { RerunDialog } from './rerun-dialog'
import { useRun } from './run-context'

import { takenOverBefore } from './taken-over'
import { TraceLink } from './trace-link'

/** One node beside the graph: what it waits for or what went wrong first, then its files, values, attempts and logs. */
export function NodePanel({ nodeId, onClose }: { nodeId: string; onClose: () => void }) {
  const { view, pipeline, past } = useRun()
  const node = view.nodes[nodeId]
  const compiled = pipeline.nodes.get(nodeId)
  if (node === undefined || compiled === undefined)
    return (
      <div className="p-4">
        <p className="text-muted">There is no node “{nodeId}” in this run.</p>
        <Button className="mt-3" onClick={onClose}>
          Close
        </Button>
      </div>
    )
  const executionId = view.execution_id
  const { item_errors: itemErrors, ...outputs } = node.outputs ?? {}
  const nameOf = namesIn(pipeline.nodes)
  const itemsFailed = compiled.forEach?.allowFailures === true && Array.isArray(itemErrors)
  return (
    <div
      className="flex h-full flex-col"
      role="region"
      aria-label={`Node ${compiled.definition.name ?? nodeId}`}
    >
      <NodeHeading node={compiled} onClose={onClose} />
      <ScrollArea>
        <NodeStatusLine nodeId={nodeId} node={node} compiled={compiled} />
        <Reused node={node} />
        {node.by_hand !== null && (
          <Part title="Completed by hand">
            <p className="break-words">
              <span className="font-medium">{node.by_hand.actor}</span>: {node.by_hand.reason}
            </p>
          </Part>
        )}
        {node.error !== null && !isVoted(node) && <NodeError error={node.error} />}
        {node.approval !== null && (
          <NodeApproval executionId={executionId} nodeId={nodeId} node={node} approval={node.approval} />
        )}
        {node.status === 'skipped' && (
          <Part title="Skipped because">
            <p className="break-words first-letter:uppercase">{skipText(node, nameOf)}</p>
          </Part>
        )}
        {compiled.child !== null && (
          <NodeChild pipelineId={compiled.child} executionId={node.child_execution_id} />
        )}
        {node.items !== null && <NodeItems items={node.items} />}
        {itemsFailed && <ItemErrors value={itemErrors} />}
        <NodeFiles executionId={executionId} nodeId={nodeId} />
        <NextAttempt node={node} compiled={compiled} />
        <WaitsFor node={node} compiled={compiled} />
        <AwaitedEvents node={node} compiled={compiled} />
        <ExplainNode executionId={executionId} nodeId={nodeId} node={node} />
        <NodeValues nodeId={nodeId} compiled={compiled} outputs={itemsFailed ? outputs : node.outputs} />
        <NodeAttempts nodeId={nodeId} shown={errorsOf(node, itemsFailed ? itemErrors : [])} />
        {node.started_at !== null && compiled.kind === 'task' && (
          <Part title="Logs">
            <Logs
              executionId={executionId}
              nodeId={nodeId}
              live={node.finished_at === null && past === null}
            />
          </Part>
        )}
      </ScrollArea>
    </div>
  )
}

/** The votes of an approval say that it was rejected, by whom and why. */
const isVoted = ({ error, approval }: NodeView): boolean =>
  error?.kind === 'rejected' && approval !== null && approval.votes.length > 0

/** What the panel says went wrong, of the node and of its items. */
const errorsOf = ({ error }: NodeView, items: readonly unknown[]): readonly string[] =>
  [error, ...items].flatMap((each) =>
    isRecord(each) && typeof each['message'] === 'string' ? [each['message']] : [],
  )

function NodeStatusLine({
  nodeId,
  node,
  compiled,
}: {
  nodeId: string
  node: NodeView
  compiled: CompiledNode
}) {
  const { view, past } = useRun()
  const mayOperate = useMay('operate')
  const mayEdit = useMay('edit')
  const { progress, slack_ms: slack } = node
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-4 py-3">
      <StatusBadge status={nodeStatus(node)} />
      {node.handled && <span className="text-xs text-muted">handled: the run goes on</span>}
      {view.mocks.includes(nodeId) && node.by_hand === null && <MockMark />}
      {node.by_hand === null ? (
        node.started_at !== null && <Duration from={node.started_at} to={node.finished_at} />
      ) : (
        <span className="text-xs text-muted">
          by hand <RelativeTime at={node.finished_at ?? view.updated_at} />
        </span>
      )}
      {past === null && <TraceLink executionId={view.execution_id} nodeId={nodeId} />}
      {node.critical && <span className="text-xs font-medium text-accent">critical path</span>}
      {node.finished_at === null && slack !== null && slack > 0 && (
        <span className="text-xs text-faint">{durationText(slack)} slack</span>
      )}
      {progress !== null && node.status === 'running' && (
        <span className="text-xs text-muted">
          {progress.ratio !== null && `${Math.round(progress.ratio * 100)} % `}
          {progress.message}
        </span>
      )}
      {past === null && (
        <div className="ml-auto flex flex-wrap justify-end gap-2 empty:hidden">
          {mayEdit && node.status === 'failed' && !isVoted(node) && (
            <Button size="small" asChild>
              <Link href={`/pipelines/${view.pipeline_id}?node=${encodeURIComponent(nodeId)}`}>
                <Pencil aria-hidden /> Edit this node
              </Link>
            </Button>
          )}
          {mayOperate && <CompleteByHand compiled={compiled} />}
          {mayOperate && (node.status !== 'pending' || view.finished_at !== null) && (
            <RerunFrom nodeId={nodeId} />
          )}
        </div>
      )}
    </div>
  )
}

/** Where the result of a node is from that this generation of the run did not run. */
function Reused({ node }: { node: NodeView }) {
  const run = useRun()
  const { origin, created_at: created } = run.view
  const at = node.finished_at
  if (at === null || !isReused(node, takenOverBefore(run))) return null
  return (
    <p className="flex items-start gap-1.5 border-b border-line px-4 py-2 text-xs text-muted">
      <Recycle aria-hidden className="mt-px size-3.5 shrink-0" />
      {origin !== null && at < created ? (
        <span className="min-w-0">
          Reused: this result is of{' '}
          <Link href={`/executions/${origin.execution_id}`} className="font-mono text-accent hover:underline">
            {origin.execution_id}
          </Link>
          , from which this run was forked.
        </span>
      ) : (
        <span>Reused: this result is from before the latest rerun, which did not repeat this node.</span>
      )}
    </p>
  )
}

function NodeError({ error }: { error: NonNullable<NodeView['error']> }) {
  return (
    <Part title="Error">
      <ErrorBox
        error={error}
        details={error.detail === undefined ? undefined : <JsonView value={error.detail} className="mt-2" />}
      />
    </Part>
  )
}

function RerunFrom({ nodeId }: { nodeId: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        <RotateCcw aria-hidden /> Rerun from here…
      </Button>
      <RerunDialog nodes={[nodeId]} open={open} onOpenChange={setOpen} />
    </>
  )
}
