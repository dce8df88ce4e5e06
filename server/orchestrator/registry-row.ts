import type { Entry } from '@/core/engine/event'
import { parseInstant } from '@/core/engine/instant'
import { isMocked } from '@/core/engine/mocked-values'
import type { ApprovalState, ExecutionState } from '@/core/engine/state'
import { statusOf } from '@/core/engine/state'
import { typedEvent, type NodeEvent, type TypedEvent } from '@/core/engine/typed-event'
import { progressText } from '@/core/engine/view/approver-text'
import { waitingFor } from '@/core/engine/view/waiting-for'
import { wakeAt } from '@/core/engine/wanted'
import { cutText } from '@/core/pipeline/cut-text'
import type { ExecutionRow, PendingApproval } from '@/server/ports/journal'
import { inputTexts } from './input-texts'

/** The registry row of a folded execution; the same object when nothing in it changed, so that it is not written again. */
export function rowOf(state: ExecutionState, before: ExecutionRow | null): ExecutionRow {
  const status = statusOf(state)
  const waits = status === 'waiting' ? waitText(state) : null
  const nextWakeAt = state.closedAt === null ? wakeAt(state) : null
  if (
    before !== null &&
    before.status === status &&
    before.lifecycle === state.lifecycle &&
    before.nextWakeAt === nextWakeAt &&
    before.waitingFor === waits &&
    before.startedAt === state.firstStartedAt &&
    before.finishedAt === state.finishedAt &&
    before.handledFailures === state.handledFailures &&
    before.closedAt === state.closedAt
  ) {
    return before
  }
  return {
    executionId: state.executionId,
    pipelineId: state.pipeline.definition.id,
    revision: state.pipeline.revision,
    status,
    lifecycle: state.lifecycle,
    priority: state.priority,
    labels: state.labels,
    requestedBy: state.requestedBy.name,
    requestedById: state.requestedBy.id,
    createdAt: state.createdAt,
    startedAt: state.firstStartedAt,
    finishedAt: state.finishedAt,
    closedAt: state.closedAt,
    nextWakeAt,
    error: state.error === null ? null : { kind: state.error.kind, message: state.error.message },
    handledFailures: state.handledFailures,
    mocked: isMocked(state),
    waitingFor: waits,
    parentId: state.parent?.executionId ?? null,
    originId: state.origin?.executionId ?? null,
    inputs: before?.inputs ?? inputTexts(state),
  }
}

const LONGEST_WAIT_TEXT = 200

/** What moves a run on that waits: the first decision that is missing, else the first event, in the order of the definition. */
function waitText(state: ExecutionState): string | null {
  let event: string | null = null
  let more = 0
  let people: string | null = null
  for (const [id, node] of state.nodes) {
    const isAsking = node.status === 'waiting' && node.approval !== null
    const waits = isAsking || node.status !== 'pending' ? null : waitingFor(state, id)
    if (!isAsking && waits?.kind !== 'event') continue
    more += 1
    if (isAsking) people ??= askedText(state, id, node.approval)
    else event ??= waits?.names.join(' or ') ?? null
  }
  const first = people ?? event
  if (first === null) return null
  const text = more === 1 ? first : `${first} and ${more - 1} more`
  return text.length > LONGEST_WAIT_TEXT ? `${cutText(text, LONGEST_WAIT_TEXT - 1)}…` : text
}

/** How far it is stands there where one approval is not enough, before the name: lists cut the end. */
function askedText({ pipeline }: ExecutionState, id: string, { quorum, votes }: ApprovalState): string {
  const name = pipeline.nodes.get(id)?.definition.name ?? id
  const approved = votes.filter(({ decision }) => decision === 'approved').length
  return `a decision${quorum > 1 ? ` (${progressText(approved, quorum)})` : ''} on ${name}`
}

type Waiting = Extract<NodeEvent, { word: 'waiting' }>
type AsksPeople = Waiting & { readonly payload: Extract<Waiting['payload'], { for: 'people' }> }

/** Does an approval open with the event? */
const asksPeople = (typed: TypedEvent): typed is AsksPeople =>
  typed.level === 'node' && typed.word === 'waiting' && typed.payload.for === 'people'

/** After these nobody is asked any more. */
const CLOSES: ReadonlySet<NodeEvent['word']> = new Set(['completed', 'failed', 'cancelled', 'reset'])

/** The inbox as the whole journal of an execution says it is. */
export function approvalsOf(state: ExecutionState, entries: readonly Entry[]): PendingApproval[] {
  const last = new Map<string, Entry>()
  for (const entry of entries) {
    const typed = typedEvent(entry.event)
    if (asksPeople(typed)) last.set(typed.node, entry)
  }
  return [...last].flatMap(([id, entry]) => {
    const node = state.nodes.get(id)
    return node?.status === 'waiting' && node.approval !== null ? approvalChanges(state, [entry]).opened : []
  })
}

/** The inbox is an index over the journal: approvals that these entries opened, and nodes whose approval they ended. */
export function approvalChanges(
  state: ExecutionState,
  entries: readonly Entry[],
): { opened: PendingApproval[]; closed: string[] } {
  const opened = new Map<string, PendingApproval>()
  const closed = new Set<string>()
  for (const { event } of entries) {
    const typed = typedEvent(event)
    if (typed.level !== 'node') continue
    const { node: nodeId } = typed
    if (state.pipeline.nodes.get(nodeId)?.kind !== 'approval') continue
    if (asksPeople(typed)) {
      closed.delete(nodeId)
      opened.set(nodeId, {
        executionId: state.executionId,
        nodeId,
        pipelineId: state.pipeline.definition.id,
        openedAt: parseInstant(event.timestamp),
        dueAt: typed.payload.due_at === null ? null : parseInstant(typed.payload.due_at),
        request: event.payload,
      })
    } else if (CLOSES.has(typed.word)) {
      // Opened and ended within one commit: it never was in the inbox.
      opened.delete(nodeId)
      closed.add(nodeId)
    }
  }
  return { opened: [...opened.values()], closed: [...closed] }
}
