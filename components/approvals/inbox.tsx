'use client'

import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { ExternalLink, Inbox as InboxIcon } from 'lucide-react'
import { useRouter, useSearchParams } from 'next/navigation'
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
import { MockedNote } from '@/components/forms/mocked-note'
import { UnreachableNote } from '@/components/forms/unreachable-note'
import { noVoiceText } from '@/components/forms/no-voice-text'
import { fieldsOf } from '@/components/forms/values'
import { approverText, progressText } from '@/core/engine/view/approver-text'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { MoreButton } from '@/components/ui/more-button'
import { EmptyState, ErrorState, Skeleton } from '@/components/ui/states'
import { TaskIcon } from '@/components/ui/task-icon'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'
import { readRequest } from './approval-request'

/** Approvals that wait, oldest first: those that the reader can decide, or all of them (`?show=all`). */
export function Inbox() {
  const mine = useSearchParams().get('show') !== 'all'
  const { data: counts } = useQuery(api.approvals.count.queryOptions({}))
  const input = mine ? { limit: 50, mine } : { limit: 50 }
  const list = useInfiniteQuery(
    pageByPage(api.approvals.list.infiniteQueryKey(input), client.approvals.list.query, input),
  )
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <>
      <nav aria-label="Which approvals" className="mb-3 flex gap-1">
        <Choice href="/approvals" isChosen={mine} text="For you" count={counts?.mine} />
        <Choice href="/approvals?show=all" isChosen={!mine} text="All that wait" count={counts?.pending} />
      </nav>
      {list.isPending ? (
        <div role="status" aria-label="Loading" className="flex flex-col gap-3">
          <Skeleton className="h-36" />
          <Skeleton className="h-36" />
        </div>
      ) : list.error !== null ? (
        <ErrorState
          what="The inbox could not be loaded."
          error={problemOf(list.error)}
          retry={() => void list.refetch()}
        />
      ) : items.length === 0 ? (
        <NothingWaits others={mine ? (counts?.pending ?? 0) : 0} />
      ) : (
        <ul className="flex flex-col gap-3">
          {items.map((item) => (
            <Item key={`${item.execution_id} ${item.node_id}`} item={item} />
          ))}
        </ul>
      )}
      <MoreButton list={list} />
    </>
  )
}

function Choice({
  href,
  isChosen,
  text,
  count,
}: {
  href: string
  isChosen: boolean
  text: string
  count: number | undefined
}) {
  return (
    <Link
      href={href}
      aria-current={isChosen ? 'true' : undefined}
      className={cn(
        'inline-flex h-8 items-center gap-1.5 rounded-md px-3 font-medium text-muted hover:bg-sunken hover:text-ink pointer-coarse:h-11',
        isChosen && 'bg-accent-soft text-accent hover:bg-accent-soft hover:text-accent',
      )}
    >
      {text}
      {count !== undefined && <span className="text-xs tabular-nums">{count}</span>}
    </Link>
  )
}

/** `others`: approvals that wait for other people. */
function NothingWaits({ others }: { others: number }) {
  return (
    <div className="rounded-lg border border-line bg-surface shadow-card">
      <EmptyState
        icon={InboxIcon}
        title={others === 0 ? 'Nobody is waiting for a decision' : 'Nothing waits for your decision'}
        action={
          <Button asChild>
            {others === 0 ? (
              <Link href="/executions?status=running">See what is running</Link>
            ) : (
              <Link href="/approvals?show=all">See what waits for others</Link>
            )}
          </Button>
        }
      >
        {others === 0
          ? 'When a run needs a decision, it appears here with its question and its deadline.'
          : `${others === 1 ? 'One approval waits' : `${others} approvals wait`} for other people.`}
      </EmptyState>
    </div>
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
            <h2 className="text-base leading-5 font-semibold break-words sm:truncate">
              <Link
                href={`/executions/${item.execution_id}/graph?node=${item.node_id}`}
                className="hover:text-accent"
              >
                {name}
              </Link>
            </h2>
            <p className="text-xs break-words text-faint sm:truncate">
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
        <MockedNote mocked={item.mocked} isRunMocked={item.run_mocked} />
        <UnreachableNote text={item.unreachable} />
        <ByHandBefore nodes={item.by_hand} nameOf={nameOf} />
        <p className="text-xs text-muted">
          {progressText(item.approved, request.quorum)} · asked:{' '}
          {request.approvers.map(approverText).join(', ')}
          {fieldsOf(request.form).length > 0 && ' · with a form'}
        </p>
        <RunFiles executionId={item.execution_id} />
        {item.why_not === null ? (
          <DecisionForm
            form={request.form}
            busy={decide.isPending}
            error={decide.error === null ? null : problemOf(decide.error)}
            onDecide={(decision) =>
              decide.mutate({ execution_id: item.execution_id, node_id: item.node_id, ...decision })
            }
          />
        ) : (
          <p className="text-xs text-muted">{noVoiceText(item.why_not.reason, item.decided)}</p>
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
