'use client'

import { useMutation } from '@tanstack/react-query'
import { api, problemOf, useWhoami } from '@/components/api'
import { ByHandBefore } from '@/components/forms/by-hand-before'
import { DecisionForm } from '@/components/forms/decision-form'
import { MockedNote } from '@/components/forms/mocked-note'
import { UnreachableNote } from '@/components/forms/unreachable-note'
import { noVoiceText } from '@/components/forms/no-voice-text'
import { approverText, progressText } from '@/core/engine/view/approver-text'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'
import { namesIn } from '@/components/graph/model/reasons'
import type { ApprovalView, NodeView } from '@/core/engine/view/view'
import { approvedOf } from './decisions'
import { Part } from './panel-part'
import { useRun } from './run-context'
import { useUnreachable } from './use-unreachable'

/** A decision that people make: the question, the votes, and the form of those who are asked. */
export function NodeApproval({
  executionId,
  nodeId,
  node,
  approval,
  begins,
}: {
  executionId: string
  nodeId: string
  node: NodeView
  approval: ApprovalView
  /** The answer that the form begins with. */
  begins?: 'approved' | 'rejected'
}) {
  const { past, pipeline, view, noVoice } = useRun()
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
  // null: they can decide. undefined: that is not known, or nobody is asked.
  const reason = open && who !== undefined ? noVoice(nodeId, who) : undefined
  const own = approval.votes.find((vote) => vote.approver_id === who?.id)
  const given = approvedOf(approval)
  const unreachable = useUnreachable(executionId, open ? nodeId : null)
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
      <div className="mb-3 flex flex-col gap-2">
        <MockedNote mocked={approval.mocked} isRunMocked={view.mocked} />
        <UnreachableNote text={unreachable} />
        <ByHandBefore nodes={approval.by_hand} nameOf={namesIn(pipeline.nodes)} />
        <p className="text-xs text-muted">
          {progressText(given, approval.quorum)} · asked: {approval.approvers.map(approverText).join(', ')}
        </p>
      </div>
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
      {reason != null && <p className="text-xs text-muted">{noVoiceText(reason, own?.decision ?? null)}</p>}
      {reason === null && (
        <DecisionForm
          begins={begins}
          form={approval.form}
          busy={decide.isPending}
          error={decide.error === null ? null : problemOf(decide.error)}
          onDecide={(decision) => decide.mutate({ execution_id: executionId, node_id: nodeId, ...decision })}
        />
      )}
    </Part>
  )
}
