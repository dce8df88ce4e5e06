'use client'

import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Inbox as InboxIcon } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { api, client, pageByPage, problemOf, queryClient, type ApprovalSummary } from '@/components/api'
import { DecisionForm } from '@/components/forms/decision-form'
import { fieldsOf } from '@/components/forms/values'
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
  const request = readRequest(item.request)
  const { data: pipeline } = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: item.pipeline_id }, { staleTime: 60_000 }),
  )
  const node = pipeline?.definition.nodes.find((each) => each.id === item.node_id)
  const name = node?.name ?? item.node_id
  const decide = useMutation(
    api.approvals.decide.mutationOptions({
      onSuccess: (_event, sent) => {
        toast({
          tone: 'good',
          title: sent.decision === 'approved' ? 'Approved' : 'Rejected',
          text: name,
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
        <p className="text-xs text-muted">
          {request.quorum === 1 ? 'One approval is enough' : `${request.quorum} approvals are needed`} ·
          asked: {request.approvers.join(', ')}
          {fieldsOf(request.form).length > 0 && ' · with a form'}
        </p>
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
          <p className="text-xs text-faint">You are not one of the approvers.</p>
        )}
      </article>
    </li>
  )
}
