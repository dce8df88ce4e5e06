'use client'

import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { ExternalLink, Inbox as InboxIcon } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { Link } from '@/components/ui/link'
import {
  api,
  artifactUrl,
  client,
  pageByPage,
  problemOf,
  queryClient,
  type ApprovalSummary,
} from '@/components/api'
import { ByHandBefore } from '@/components/forms/by-hand-before'
import { DecisionForm } from '@/components/forms/decision-form'
import { fieldsOf } from '@/components/forms/values'
import { approverText } from '@/core/engine/view/approver-text'
import { Button } from '@/components/ui/button'
import { MoreButton } from '@/components/ui/more-button'
import { EmptyState, ErrorState, Skeleton } from '@/components/ui/states'
import { TaskIcon } from '@/components/ui/task-icon'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'
import { readRequest } from './approval-request'

/** Every open approval, oldest first, each with the request to decide on. */
export function Inbox() {
  const input = { limit: 50 }
  const list = useInfiniteQuery(
    pageByPage(api.approvals.list.infiniteQueryKey(input), client.approvals.list.query, input),
  )
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  if (list.isPending)
    return (
      <div role="status" aria-label="Loading" className="flex flex-col gap-3">
        <Skeleton className="h-36" />
        <Skeleton className="h-36" />
      </div>
    )
  if (list.error !== null)
    return (
      <ErrorState
        what="The inbox could not be loaded."
        error={problemOf(list.error)}
        retry={() => void list.refetch()}
      />
    )
  if (items.length === 0)
    return (
      <div className="rounded-lg border border-line bg-surface shadow-card">
        <EmptyState
          icon={InboxIcon}
          title="Nobody is waiting for a decision"
          action={
            <Button asChild>
              <Link href="/executions?status=running">See what is running</Link>
            </Button>
          }
        >
          When a run needs a decision, it appears here with its question and its deadline.
        </EmptyState>
      </div>
    )
  return (
    <>
      <ul className="flex flex-col gap-3">
        {items.map((item) => (
          <Item key={`${item.execution_id} ${item.node_id}`} item={item} />
        ))}
      </ul>
      <MoreButton list={list} />
    </>
  )
}

function Item({ item }: { item: ApprovalSummary }) {
  const router = useRouter()
  const request = readRequest(item.request)
  const { data: pipeline } = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: item.pipeline_id }, { staleTime: 60_000 }),
  )
  const node = pipeline?.definition.nodes.find((each) => each.id === item.node_id)
  const name = node?.name ?? item.node_id
  const nameOf = (id: string) => pipeline?.definition.nodes.find((each) => each.id === id)?.name ?? id
  const decide = useMutation(
    api.approvals.decide.mutationOptions({
      onSuccess: (_event, sent) => {
        toast({
          tone: 'good',
          title: sent.decision === 'approved' ? 'Approved' : 'Rejected',
          text: `${name} · ${pipeline?.name ?? item.pipeline_id}`,
          action: {
            text: 'Open the run',
            onAct: () => router.push(`/executions/${item.execution_id}`),
          },
        })
      },
      onSettled: () => {
        void queryClient.invalidateQueries({ queryKey: api.approvals.pathKey() })
      },
    }),
  )
  return (
    <li className="rounded-lg border border-line bg-surface shadow-card">
      <article className="flex flex-col gap-3 p-4">
        <header className="flex items-start gap-3">
          <TaskIcon task="approval" />
          <div className="min-w-0">
            <h2 className="truncate text-base leading-5 font-semibold">
              <Link
                href={`/executions/${item.execution_id}/graph?node=${item.node_id}`}
                className="hover:text-accent"
              >
                {name}
              </Link>
            </h2>
            <p className="truncate text-xs text-faint">
              <Link
                href={`/pipelines/${item.pipeline_id}`}
                className="font-medium text-muted hover:text-accent"
              >
                {pipeline?.name ?? item.pipeline_id}
              </Link>{' '}
              · asked <RelativeTime at={item.opened_at} /> by run <code>{item.execution_id}</code>
            </p>
          </div>
          {item.due_at !== null && (
            <p className="ml-auto shrink-0 text-right text-xs text-muted">
              due
              <br />
              <RelativeTime at={item.due_at} className="font-medium text-ink" />
            </p>
          )}
        </header>
        <p className="text-base break-words whitespace-pre-wrap">{request.message}</p>
        <ByHandBefore nodes={(request.by_hand ?? []).map(nameOf)} />
        <p className="text-xs text-muted">
          {request.quorum === 1
            ? 'One approval is enough'
            : `${item.approved} of ${request.quorum} approvals are given`}{' '}
          · asked: {request.approvers.map(approverText).join(', ')}
          {fieldsOf(request.form).length > 0 && ' · with a form'}
        </p>
        <RunFiles executionId={item.execution_id} />
        {item.can_decide ? (
          <DecisionForm
            form={request.form}
            busy={decide.isPending}
            error={decide.error === null ? null : problemOf(decide.error)}
            onDecide={(decision) =>
              decide.mutate({ execution_id: item.execution_id, node_id: item.node_id, ...decision })
            }
          />
        ) : (
          <p className="text-xs text-faint">
            {item.decided === null ? 'You are not one of the approvers.' : `You have ${item.decided} this.`}
          </p>
        )}
      </article>
    </li>
  )
}

/** Files that are named; the others are a link to all. */
const NAMED = 5

/** What the run has written so far: people often decide about that. */
function RunFiles({ executionId }: { executionId: string }) {
  const { data } = useQuery(api.executions.artifacts.queryOptions({ execution_id: executionId }))
  const files = data?.items ?? []
  if (files.length === 0) return null
  return (
    <ul aria-label="Files of the run" className="flex flex-wrap gap-x-4 gap-y-1">
      {files.slice(0, NAMED).map((file) => (
        <li key={file.artifact_id}>
          <a
            href={artifactUrl(executionId, file.artifact_id)}
            target="_blank"
            rel="noreferrer"
            className="inline-flex items-center gap-1.5 font-medium text-accent hover:underline"
          >
            {file.name}
            <ExternalLink aria-hidden className="size-3.5" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        </li>
      ))}
      {files.length > NAMED && (
        <li>
          <Link href={`/executions/${executionId}/artifacts`} className="text-accent hover:underline">
            All {files.length} files
          </Link>
        </li>
      )}
    </ul>
  )
}
