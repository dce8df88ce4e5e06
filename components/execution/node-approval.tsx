'use client'

import { useMutation } from '@tanstack/react-query'
import { api, problemOf, useWhoami } from '@/components/api'
import { ByHandBefore } from '@/components/forms/by-hand-before'
import { DecisionForm } from '@/components/forms/decision-form'
import { approverText } from '@/core/engine/view/approver-text'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'
import { isApprover } from '@/core/engine/decide/is-approver'
import type { ApprovalView, NodeView } from '@/core/engine/view/view'
import { Part } from './panel-part'
import { useRun } from './run-context'

/** A decision that people make: the question, the votes, and the form of those who are asked. */
export function NodeApproval({
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
  const { past, pipeline } = useRun()
  const who = useWhoami()
  const decide = useMutation(
    api.approvals.decide.mutationOptions({
      onSuccess: (_event, sent) =>
        toast({
          tone: 'good',
          title: sent.decision === 'approved' ? 'Approved' : 'Rejected',
          text: pipeline.nodes.get(nodeId)?.definition.name ?? nodeId,
        }),
    }),
  )
  const open = past === null && node.status === 'waiting'
  const decides = open && who !== undefined ? isApprover(approval.approvers, who) : null
  const own = open ? approval.votes.find((vote) => vote.approver_id === who?.id) : undefined
  const given = approval.votes.filter((vote) => vote.decision === 'approved').length
  return (
    <Part
      title="Decision"
      note={
        approval.due_at !== null && node.status === 'waiting' ? (
          <>
            due <RelativeTime at={approval.due_at} />
          </>
        ) : null
      }
    >
      <p className="mb-2 break-words whitespace-pre-wrap">{approval.message}</p>
      <ByHandBefore nodes={approval.by_hand.map((id) => pipeline.nodes.get(id)?.definition.name ?? id)} />
      <p className="mb-3 text-xs text-muted">
        {given} of {approval.quorum} {approval.quorum === 1 ? 'approval' : 'approvals'} · asked:{' '}
        {approval.approvers.map(approverText).join(', ')}
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
        <p className="text-xs text-muted">You are viewing the past: nothing can be decided here.</p>
      )}
      {decides === false && <p className="text-xs text-muted">You are not one of the approvers.</p>}
      {own !== undefined && <p className="text-xs text-muted">You have {own.decision} this.</p>}
      {decides === true && own === undefined && (
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
