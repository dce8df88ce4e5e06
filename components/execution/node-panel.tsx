'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { api, problemOf, useMay, useRenewed, useWhoami } from '@/components/api'
import { DecisionForm } from '@/components/forms/decision-form'
import { skipText } from '@/components/graph/model/drawing'
import { NodeHeading } from '@/components/graph/node-heading'
import { Button } from '@/components/ui/button'
import { JsonView } from '@/components/ui/json-view'
import { StatusBadge } from '@/components/ui/status'
import { ClockTime, Duration, RelativeTime } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { toast } from '@/components/ui/toast'
import { isApprover } from '@/core/engine/decide/is-approver'
import type { ApprovalView, NodeView } from '@/core/engine/view/view'
import { ExplainTree } from './explain-tree'
import { Logs } from './logs'
import { ItemErrors, NodeAttempts, NodeItems } from './node-attempts'
import { NodeChild } from './node-child'
import { NodeFiles } from './node-files'
import { NodeValues } from './node-values'
import { Part } from './panel-part'
import { RerunDialog } from './rerun-dialog'
import { useRun } from './run-context'
import { SendEvents } from './send-event'

/** One node beside the graph: what it waits for or what went wrong first, then its values, attempts, logs and files. */
export function NodePanel({ nodeId, onClose }: { nodeId: string; onClose: () => void }) {
  const { view, pipeline, past } = useRun()
  const mayOperate = useMay('operate')
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
  const { item_errors: itemErrors, ...outputs } = node.outputs ?? {}
  const itemsFailed = compiled.forEach?.allowFailures === true && Array.isArray(itemErrors)
  const over = node.finished_at !== null
  const awaited = compiled.gateEvents.filter((type) => type.startsWith('external.'))
  return (
    <div
      className="flex h-full flex-col"
      role="region"
      aria-label={`Node ${compiled.definition.name ?? nodeId}`}
    >
      <NodeHeading node={compiled} onClose={onClose} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-4 py-3">
          <StatusBadge status={node.status} />
          {node.handled && <span className="text-xs text-muted">handled: it does not fail the run</span>}
          {node.started_at !== null && <Duration from={node.started_at} to={node.finished_at} />}
          {node.critical && <span className="text-xs font-medium text-accent">critical path</span>}
          {!over && node.slack_ms !== null && node.slack_ms > 0 && (
            <span className="text-xs text-faint">{durationText(node.slack_ms)} slack</span>
          )}
          {node.progress !== null && node.status === 'running' && (
            <span className="text-xs text-muted">
              {node.progress.ratio !== null && `${Math.round(node.progress.ratio * 100)} % `}
              {node.progress.message}
            </span>
          )}
          {mayOperate && past === null && (node.status !== 'pending' || view.finished_at !== null) && (
            <RerunFrom nodeId={nodeId} />
          )}
        </div>

        {node.error !== null && (
          <Part title="Error">
            <div role="alert" className="rounded-md border border-failed/40 bg-failed/8 px-3 py-2">
              <code className="text-xs font-semibold text-failed">{node.error.kind}</code>
              <p className="mt-0.5 break-words whitespace-pre-wrap">{node.error.message}</p>
            </div>
            {node.error.detail !== undefined && <JsonView value={node.error.detail} className="mt-2" />}
          </Part>
        )}
        {node.approval !== null && (
          <Approval executionId={view.execution_id} nodeId={nodeId} node={node} approval={node.approval} />
        )}
        {node.status === 'skipped' && (
          <Part title="Skipped because">
            <p className="break-words first-letter:uppercase">{skipText(node)}</p>
          </Part>
        )}
        {compiled.child !== null && (
          <NodeChild pipelineId={compiled.child} executionId={node.child_execution_id} />
        )}
        {node.items !== null && <NodeItems items={node.items} />}
        {itemsFailed && <ItemErrors value={itemErrors} />}
        {node.status === 'retrying' && node.next_wake_at !== null && (
          <Part title="Next try">
            <p>
              Try {node.attempts + 1}
              {compiled.retry !== null && ` of ${compiled.retry.maxAttempts}`} at{' '}
              <ClockTime at={node.next_wake_at} />, <RelativeTime at={node.next_wake_at} />
            </p>
          </Part>
        )}
        {!over &&
          node.status !== 'pending' &&
          node.status !== 'retrying' &&
          node.items === null &&
          compiled.child === null &&
          node.waiting_for !== null &&
          !['attempt', 'people'].includes(node.waiting_for.kind) && (
            <Part title="Waiting for">
              {node.waiting_for.kind === 'timer' && node.next_wake_at !== null ? (
                <p>
                  Until <ClockTime at={node.next_wake_at} />, <RelativeTime at={node.next_wake_at} />
                </p>
              ) : (
                <p className="first-letter:uppercase">{node.waiting_for.text}</p>
              )}
            </Part>
          )}

        {past === null &&
          !over &&
          (node.status === 'pending' || node.status === 'waiting') &&
          awaited.length > 0 && (
            <Part title="Events from outside">
              <p className="text-muted">
                {awaited.length === 1 ? 'It can come' : 'They can come'} from another system
                {mayOperate ? ', or from here.' : `: ${awaited.join(', ')}.`}
              </p>
              {mayOperate && <SendEvents executionId={view.execution_id} types={awaited} />}
            </Part>
          )}
        <Explain executionId={view.execution_id} nodeId={nodeId} node={node} />
        <NodeValues nodeId={nodeId} compiled={compiled} outputs={itemsFailed ? outputs : node.outputs} />
        <NodeFiles executionId={view.execution_id} nodeId={nodeId} />
        <NodeAttempts nodeId={nodeId} />
        {node.started_at !== null && compiled.kind === 'task' && (
          <Part title="Logs">
            <Logs executionId={view.execution_id} nodeId={nodeId} live={!over && past === null} />
          </Part>
        )}
      </div>
    </div>
  )
}

function RerunFrom({ nodeId }: { nodeId: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" className="ml-auto" onClick={() => setOpen(true)}>
        <RotateCcw aria-hidden /> Rerun from here…
      </Button>
      <RerunDialog nodes={[nodeId]} open={open} onOpenChange={setOpen} />
    </>
  )
}

function Approval({
  executionId,
  nodeId,
  node,
  approval,
}: {
  executionId: string
  nodeId: string
  node: NodeView
  approval: ApprovalView
}) {
  const { past } = useRun()
  const who = useWhoami()
  const decide = useMutation(
    api.approvals.decide.mutationOptions({
      onSuccess: (_event, sent) =>
        toast({ tone: 'good', title: sent.decision === 'approved' ? 'Approved' : 'Rejected', text: nodeId }),
    }),
  )
  const open = past === null && node.status === 'waiting'
  const decides = open && who !== undefined ? isApprover(approval.approvers, who) : null
  const given = approval.votes.filter((vote) => vote.decision === 'approved').length
  return (
    <Part
      title="Decision"
      aside={
        approval.due_at !== null && node.status === 'waiting' ? (
          <>
            due <RelativeTime at={approval.due_at} />
          </>
        ) : null
      }
    >
      <p className="mb-2 break-words whitespace-pre-wrap">{approval.message}</p>
      <p className="mb-3 text-xs text-muted">
        {given} of {approval.quorum} {approval.quorum === 1 ? 'approval' : 'approvals'} · asked:{' '}
        {approval.approvers.join(', ')}
      </p>
      {approval.votes.length > 0 && (
        <ul className="mb-3 flex flex-col gap-1.5">
          {approval.votes.map((vote) => (
            <li key={`${vote.approver} ${vote.at}`} className="rounded-md bg-sunken px-2.5 py-1.5">
              <span className="font-medium">{vote.approver}</span>{' '}
              <span data-status={vote.decision} className="status-ink font-medium">
                {vote.decision}
              </span>{' '}
              <RelativeTime at={vote.at} className="text-xs text-faint" />
              {vote.comment !== null && <p className="break-words text-muted">{vote.comment}</p>}
            </li>
          ))}
        </ul>
      )}
      {past !== null && node.status === 'waiting' && (
        <p className="text-xs text-muted">Decisions are made in the present: go back to live.</p>
      )}
      {decides === false && <p className="text-xs text-muted">You are not among those who are asked.</p>}
      {decides === true && (
        <DecisionForm
          form={approval.form}
          busy={decide.isPending}
          error={decide.error === null ? null : problemOf(decide.error)}
          onDecide={(decision) => decide.mutate({ execution_id: executionId, node_id: nodeId, ...decision })}
        />
      )}
    </Part>
  )
}

/** The gate leaf by leaf. A queued node also asks the server, which alone knows who holds the slots. */
function Explain({ executionId, nodeId, node }: { executionId: string; nodeId: string; node: NodeView }) {
  const { explain, past } = useRun()
  const explanation = explain(nodeId)
  const queued = node.status === 'queued' && past === null
  const asked = { execution_id: executionId, node_id: nodeId }
  const { data } = useQuery(api.executions.explain.queryOptions(asked, { enabled: queued }))
  useRenewed(queued ? ['slots'] : [], [api.executions.explain.queryKey(asked)])
  const open = node.status === 'pending' || node.status === 'queued'
  const scheduling = queued ? data?.scheduling : null
  return (
    <Part title={open ? 'Why is this not running?' : 'Gate'}>
      {open && <p className="mb-2 first-letter:uppercase">{explanation.summary}</p>}
      <ExplainTree tree={explanation.start_when} />
      {scheduling != null && (
        <p className="mt-2 text-xs text-muted">
          {scheduling.slots_in_use} of {scheduling.slots} slots in use
          {scheduling.position !== null && ` · number ${scheduling.position} in the queue`}
        </p>
      )}
    </Part>
  )
}
