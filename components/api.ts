import { infiniteQueryOptions, QueryClient, useQuery, type QueryKey } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { preload } from 'react-dom'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '@/server/transports/trpc/router'
import { useEffect, useEffectEvent } from 'react'
import { isRecord } from '@/core/pipeline/json'
import { followLines, type LogLine } from './stream/log-stream'
import type { List } from './stream/subscriptions'
import { createTabStream } from './stream/tab-stream'

export type { LogLine } from './stream/log-stream'

/** Everything that pages read and do goes through here. Only this file knows the router, and only its type. */

type TrpcErrorData = AppRouter['_def']['_config']['$types']['errorShape']['data']
type Outputs = inferRouterOutputs<AppRouter>
export type ExecutionSummary = Outputs['executions']['list']['items'][number]
export type ApprovalSummary = Outputs['approvals']['list']['items'][number]
export type ArtifactSummary = Outputs['executions']['artifacts']['items'][number]
export type Violation = Outputs['health']['get']['violations'][number]
export type Objectives = Outputs['objectives']['get']
export type Pool = Outputs['pools']['list']['items'][number]
export type QueuedNode = Outputs['queue']['list']['items'][number]
export type EndedHour = Outputs['overview']['get']['ended'][number]
export type PipelineDurations = Outputs['pipelines']['durations']
export type NodeDurations = PipelineDurations['nodes'][number]
export type PipelineSummary = Outputs['pipelines']['list']['items'][number]
export type RevisionSummary = Outputs['pipelines']['revisions']['items'][number]
export type PipelineDocument = Outputs['pipelines']['get']
export type TrialAnswer = Outputs['pipelines']['try']
export type TrialRequest = inferRouterInputs<AppRouter>['pipelines']['try']
/** What an editor loads first. */
export type Opening = Outputs['pipelines']['open']

export type ApiIssue = {
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

/** A refusal of the server: a code for programs, a sentence for people, and every issue with its path. */
export type ApiProblem = {
  readonly code: string
  readonly message: string
  readonly issues: readonly ApiIssue[]
}

const SIGNED_OUT = 'You are signed out. Sign in again in another tab, then continue here.'

/** Reads a refusal that was made before the router (authentication, rate limits): it has the form of REST. */
function refusedBefore({ meta }: TRPCClientError<AppRouter>): ApiProblem | null {
  const answer = meta?.['responseJSON']
  const refusal = isRecord(answer) ? answer['error'] : null
  if (!isRecord(refusal)) return null
  const { code, message } = refusal
  if (typeof code !== 'string' || typeof message !== 'string') return null
  return { code, message: code === 'unauthenticated' ? SIGNED_OUT : message, issues: [] }
}

/** Reads any error of a query or mutation as a refusal. Any other error is reported as a lost connection. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof TRPCClientError) {
    const data = error.data as TrpcErrorData | null | undefined
    if (data === null || data === undefined)
      return (
        refusedBefore(error) ?? {
          code: 'unreachable',
          message: 'The server cannot be reached. It may be restarting.',
          issues: [],
        }
      )
    return {
      code: data.refusal?.code ?? data.code.toLowerCase(),
      message: error.message,
      issues: data.refusal?.issues ?? [],
    }
  }
  return { code: 'internal', message: error instanceof Error ? error.message : String(error), issues: [] }
}

/** Whether what an address names does not exist. An id that the server refuses as invalid cannot exist either. */
export const namesNothing = ({ code }: ApiProblem): boolean =>
  code === 'not_found' || code === 'invalid_request'

/** Refusals that stay the same however often they are retried. */
const final = new Set([
  'not_found',
  'forbidden',
  'unauthenticated',
  'unauthorized',
  'bad_request',
  'invalid_request',
])

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 3 && !final.has(problemOf(error).code),
    },
  },
})

export const client = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: '/api/trpc', maxURLLength: 4_000 })],
})

export const api = createTRPCOptionsProxy<AppRouter>({ client, queryClient })

/** Lets the browser request what an editor loads first while it still loads the code that will need it. Called while a page renders. */
export function preloadOpening(pipelineId: string): void {
  const input = encodeURIComponent(JSON.stringify({ 0: { pipeline_id: pipelineId } }))
  preload(`/api/trpc/pipelines.open?batch=1&input=${input}`, { as: 'fetch', crossOrigin: 'anonymous' })
}

/** Options of a list that is read page by page. The first request has no cursor: the server refuses an empty one. */
export function pageByPage<Input extends object, Output extends { readonly next_cursor: string | null }>(
  key: QueryKey,
  query: (input: Input & { cursor?: string }) => Promise<Output>,
  input: Input,
) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam }) => query(pageParam === null ? input : { ...input, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Output) => page.next_cursor,
  })
}

/** The name of a pipeline; its id until the name is loaded, and for removed pipelines. */
export function usePipelineName(pipelineId: string): string {
  const { data } = useQuery(api.pipelines.list.queryOptions({ limit: 250 }, { staleTime: 60_000 }))
  return data?.items.find((row) => row.id === pipelineId)?.name ?? pipelineId
}

/** Filters that leave good runs: completed, with no failure handled and no values from mocks. */
export const GOOD = {
  status: ['completed'],
  handled_failures: false,
  mocked: false,
} satisfies inferRouterInputs<AppRouter>['executions']['list']

const whoami = api.session.whoami.queryOptions({}, { staleTime: 60_000 })

/** Who is signed in, with their rights; undefined until that is known. */
export const useWhoami = () => useQuery(whoami).data

/** Whether the signed-in user has a right. The UI offers only what the user may do. */
export const useMay = (right: Outputs['session']['whoami']['rights'][number]): boolean =>
  useWhoami()?.rights.includes(right) ?? false

/** A timer. The answer cancels it. Milliseconds. */
function wait(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms)
  return () => clearTimeout(timer)
}

/** A read that takes longer is aborted: on a connection that loses everything it would never end. Milliseconds. */
const longestRead = 15_000

/** Options of a read that ends even when the connection is dead. */
export const inTime = () => ({ signal: AbortSignal.timeout(longestRead) })

const probe = () =>
  client.session.whoami.query({}, inTime()).then(
    () => 'answered' as const,
    (error: unknown) => (problemOf(error).code === 'unauthenticated' ? 'signed_out' : 'unanswered'),
  )

/** Whether the server answers now. A refusal is an answer too. */
export const isAnswered = async (): Promise<boolean> => (await probe()) !== 'unanswered'

/** The one event stream of this tab. */
export const tabStream = createTabStream({
  url: '/api/v1/stream',
  fetch: (input, init) => globalThis.fetch(input, init),
  probe,
  now: Date.now,
  wait,
})

if (typeof window !== 'undefined') {
  window.addEventListener('offline', tabStream.unreachable)
  window.addEventListener('online', tabStream.look)
  window.addEventListener('pageshow', tabStream.look)
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) tabStream.look()
  })
}

/**
 * Refetches queries when the stream reports that one of `lists` changed, at most once a second. Queries that
 * nothing on the page shows are read when something does. `concerns`: whether a message is about their data; absent: every message is.
 */
export function useRenewed(
  lists: readonly List[],
  queryKeys: readonly QueryKey[],
  concerns: (data: unknown) => boolean = () => true,
): void {
  const receive = useEffectEvent((data: unknown, soon: () => void) => {
    if (concerns(data)) soon()
  })
  const renew = useEffectEvent(() => {
    for (const queryKey of queryKeys) void queryClient.invalidateQueries({ queryKey })
  })
  const names = lists.join(' ')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = null
        renew()
      }, 1_000)
    }
    const catchUp = async () => {
      soon()
      return true
    }
    const stops = names
      .split(' ')
      .filter(Boolean)
      .map((list) =>
        tabStream.listen({ topic: { list: list as List }, onData: (data) => receive(data, soon), catchUp }),
      )
    return () => {
      for (const stop of stops) stop()
      if (timer !== null) clearTimeout(timer)
    }
  }, [names])
}

/** Follows the log of a node after line `after`; the answer ends it. */
export function followLog(
  { executionId, nodeId }: { executionId: string; nodeId: string },
  after: number,
  onLines: (lines: readonly LogLine[]) => void,
): () => void {
  const execution = encodeURIComponent(executionId)
  return followLines({
    url: `/api/v1/executions/${execution}/nodes/${encodeURIComponent(nodeId)}/logs/stream`,
    after,
    onLines,
    fetch: (input, init) => globalThis.fetch(input, init),
    now: Date.now,
    wait,
  })
}

/** The address of an artifact's content. */
export function artifactUrl(executionId: string, artifactId: string): string {
  return `/api/v1/executions/${encodeURIComponent(executionId)}/artifacts/${encodeURIComponent(artifactId)}`
}
