'use client'

import { useQuery } from '@tanstack/react-query'
import {
  FlaskConical,
  GitCompareArrows,
  Hourglass,
  Timer,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { api, GOOD } from '@/components/api'
import { Link } from '@/components/ui/link'
import { RelativeTime, useNow } from '@/components/ui/time'
import { durationText } from '@/components/ui/times'
import { approverText, progressText } from '@/core/engine/view/approver-text'
import type { ExecutionView, NodeView, OutsideWaitView } from '@/core/engine/view/view'
import { isExternal } from '@/core/pipeline/gate/event-type'
import { useRun, useRunPart } from './run-context'
import { approvedOf } from './decisions'
import { RunNodeLink } from './run-node-link'
import { tallyOf } from './tally'
import { useUnreachable } from './use-unreachable'

/** What people want to know first: what the run waits for, what failed and was handled, what was mocked, and what changed since the last good run. */
export function RunOutlook() {
  const { handled, wait, isOpen, isDue, started } = useRunPart(({ view }) => ({
    handled: tallyOf(view.nodes).handledNodes,
    wait: view.waits_for,
    isOpen: view.finished_at === null,
    isDue: view.finished_at === null && !view.paused,
    started: view.started_at !== null,
  }))
  return (
    <ul
      aria-label="In short"
      className="mt-2 flex flex-wrap items-baseline gap-x-5 gap-y-1 text-xs empty:hidden"
    >
      {handled.length > 0 && (
        <Line icon={TriangleAlert} tone="text-warning">
          {handled.length === 1 ? 'Failed, and handled: ' : `${handled.length} failures handled: `}
          <NodeLinks ids={handled} />
        </Line>
      )}
      <Mocks />
      {isOpen && wait !== null && <Waits wait={wait} />}
      {isDue && <WaitsForTime />}
      {!started && isOpen && <WaitsForSlot />}
      <LastGood />
    </ul>
  )
}

function Line({ icon: Icon, tone, children }: { icon: LucideIcon; tone: string; children: ReactNode }) {
  return (
    <li className="flex min-w-0 items-start gap-1.5 text-muted">
      <Icon aria-hidden className={`mt-0.5 size-3.5 shrink-0 ${tone}`} />
      <span className="min-w-0 break-words">{children}</span>
    </li>
  )
}

/** Nodes that are named; of more only the number. */
const NAMED = 3

function NodeLinks({ ids }: { ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, NAMED).map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <RunNodeLink id={id} />
        </Fragment>
      ))}
      {ids.length > NAMED && ` and ${ids.length - NAMED} more`}
    </>
  )
}

/** Where values of the run come from mocks: from which nodes, or from the run above. */
function Mocks() {
  const mocks = useRunPart(({ view }) => view.mocks)
  const inputs = useRunPart(({ view }) => view.mocked_inputs)
  return (
    <>
      {mocks.length > 0 && (
        <Line icon={FlaskConical} tone="text-warning">
          Mocked, no work was done: <NodeLinks ids={mocks} />
        </Line>
      )}
      {inputs.length > 0 && (
        <Line icon={FlaskConical} tone="text-warning">
          {inputs.length === 1 ? 'Input ' : 'Inputs '}
          <code>{inputs.join(', ')}</code> {inputs.length === 1 ? 'comes' : 'come'} from mocks
        </Line>
      )}
    </>
  )
}

/** For whom or what the run waits, now or next, until when at the latest, and what it waits for after that. */
function Waits({ wait }: { wait: NonNullable<ExecutionView['waits_for']> }) {
  const { view } = useRun()
  const { then, after_ms: left } = wait
  const node = view.nodes[wait.node_id]
  const now = isWaiting(node)
  return (
    <Line icon={Hourglass} tone="text-waiting">
      {now ? 'Waits for ' : 'Will wait for '}
      <Awaited wait={wait} />
      {!now && Date.parse(wait.from) > Date.parse(view.updated_at) + 1_000 && (
        <>
          , <Expected at={wait.from} />
        </>
      )}
      {now && node?.next_wake_at != null && (
        <>
          , gives up <Expected at={node.next_wake_at} />
        </>
      )}
      {then !== null && (
        <>
          {isWaiting(view.nodes[then.node_id]) ? '; and for ' : '; then for '}
          <Awaited wait={then} />
        </>
      )}
      {left !== null && left >= 1_000 && `; after that about ${durationText(left)}`}
    </Line>
  )
}

/** Whether the node waits now, for people or an event. */
const isWaiting = (node: NodeView | undefined): boolean =>
  node?.status === 'waiting' || node?.waiting_for?.kind === 'event'

/** A decision with its approvers, or an event, and its node. */
function Awaited({ wait: { node_id: id, kind } }: { wait: OutsideWaitView }) {
  const { view, pipeline, past } = useRun()
  const node = view.nodes[id]
  const approval = node?.status === 'waiting' ? node.approval : null
  const unreachable = useUnreachable(view.execution_id, approval == null || past !== null ? null : id)
  const events = pipeline.nodes.get(id)?.gateEvents.filter(isExternal) ?? []
  const names = isWaiting(node) ? (node?.waiting_for?.names ?? []) : []
  const what =
    kind === 'people'
      ? `a decision${names.length === 0 ? '' : ` by ${names.map(approverText).join(', ')}`}`
      : (names.length > 0 ? names : events).join(' or ')
  return (
    <>
      {what} on <RunNodeLink id={id} />
      {approval != null && approval.quorum > 1 && ` (${progressText(approvedOf(approval), approval.quorum)})`}
      {unreachable !== null && (
        // How many are missing stands before it.
        <span className="text-warning">, {unreachable.slice(unreachable.indexOf('but '))}</span>
      )}
    </>
  )
}

/** What continues by itself, and when, where the run waits for nothing else. */
function WaitsForTime() {
  const wait = useRunPart(({ view }) => tallyOf(view.nodes).timedWait)
  const now = useNow()
  // A wait that ends before it can be read would only make the page jump.
  if (wait === null || Date.parse(wait.at) < now + 2_000) return null
  const { node, again, at } = wait
  return (
    <Line icon={Timer} tone="text-waiting">
      {again ? (
        <>
          Will try <RunNodeLink id={node} /> again <Expected at={at} />
        </>
      ) : (
        <>
          Waits until {new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })} for{' '}
          <RunNodeLink id={node} />, <Expected at={at} />
        </>
      )}
    </Line>
  )
}

/** The run waits until its pipeline may start one more run. All of its nodes say the same then. */
function WaitsForSlot() {
  const slotWait = useRunPart(({ view }) => tallyOf(view.nodes).slotWait)
  if (slotWait === null) return null
  return (
    <Line icon={Hourglass} tone="text-faint">
      <span className="inline-block first-letter:uppercase">{slotWait}</span>
    </Line>
  )
}

/** An instant at which something is expected; once it has passed, “any moment”. */
export function Expected({ at }: { at: string }) {
  return Date.parse(at) <= useNow() + 1_000 ? 'any moment' : <RelativeTime at={at} />
}

/** Compares with the last completed run of the pipeline before this one. Of an instant of the past it shows nothing. */
function LastGood() {
  const { pipeline, executionId, createdAt, isGood, isPast } = useRunPart(({ view, past }) => ({
    pipeline: view.pipeline_id,
    executionId: view.execution_id,
    createdAt: view.created_at,
    isGood: view.status === 'completed' && view.handled_failures === 0 && !view.mocked,
    isPast: past !== null,
  }))
  const { data } = useQuery(
    api.executions.list.queryOptions(
      { ...GOOD, pipeline, to: createdAt, limit: 2 },
      // Runs before this one do not change any more.
      { staleTime: Infinity, enabled: !isPast },
    ),
  )
  const good = data?.items.find((run) => run.execution_id !== executionId)
  if (good === undefined || isPast) return null
  return (
    <Line icon={GitCompareArrows} tone="text-faint">
      <Link
        href={`/executions/${executionId}/compare?with=${encodeURIComponent(good.execution_id)}`}
        className="rounded-sm font-medium text-ink underline decoration-line-strong underline-offset-2 hover:text-accent"
      >
        {isGood ? 'Compare with the good run before' : 'What changed since the last good run'}
      </Link>
      , <RelativeTime at={good.finished_at ?? good.created_at} />
    </Line>
  )
}
