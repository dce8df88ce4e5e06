import { violations as stateViolations } from '@/core/engine/invariants'
import type { NodeState } from '@/core/engine/state'
import type { ExecutionRow } from '@/server/ports/journal'
import type { ApprovalInbox, ExecutionRegistry } from '@/server/ports/registry'
import type { Violation } from './contract'
import type { Fold } from './fold'
import type { Live } from './live-execution'
import type { OwnedJournal } from './owned-journal'
import { rowOf } from './registry-row'

/** The most approvals that one execution can have open. */
export const INBOX_PAGE = 1_000

export type ExecutionCheckPorts = {
  readonly journal: Pick<OwnedJournal, 'read'>
  readonly executions: Pick<ExecutionRegistry, 'get'>
  readonly approvals: Pick<ApprovalInbox, 'pending'>
  /** The execution when it is in memory. */
  readonly live: (executionId: string) => Live | undefined
  /** Is the execution being brought to what its parent wants right now? */
  readonly isAligning: (executionId: string) => boolean
  readonly fold: Fold
  /** Resolves when no commit is under way. */
  readonly durable: () => Promise<void>
}

/** What does not hold, before anybody has asked since when. */
export type Finding = Omit<Violation, 'executionId' | 'since'>

/**
 * What does not hold of one execution: the invariants of the engine, and what its registry row and the inbox say otherwise than its
 * fold. Null when it moved meanwhile, or came into memory: then it has to be looked at again.
 * @throws what made the fold fail
 */
export async function checkExecution(
  ports: ExecutionCheckPorts,
  executionId: string,
): Promise<readonly Finding[] | null> {
  const live = ports.live(executionId)
  const state = live?.state ?? (await ports.fold(executionId))
  if (state === null) return []
  const { seq } = state
  await ports.durable()
  const row = await ports.executions.get(executionId)
  const inbox = await ports.approvals.pending({ limit: INBOX_PAGE, executionId })
  const moved =
    live === undefined && (await ports.journal.read(executionId, { after: seq, limit: 1 })).length > 0
  // Nothing in memory is ahead of the journal now; children are looked at as well.
  await ports.durable()
  if (moved || ports.live(executionId) !== live || state.seq !== seq) return null
  // A child that is on its way to what its parent wants is no violation.
  const childOf = (id: string) => (ports.isAligning(id) ? undefined : ports.live(id)?.state)
  const found: Finding[] = stateViolations(state, childOf).map((message) => ({
    nodeId: /'([^']+)'/.exec(message)?.[1] ?? null,
    rule: 'invariant',
    message,
  }))
  const difference = row === null ? 'it has no row' : rowDifference(row, rowOf(state, null))
  if (difference !== null)
    found.push({ nodeId: null, rule: 'registry_row', message: `the registry is wrong: ${difference}` })
  const waiting = new Set([...state.nodes].filter(isOpenApproval).map(([id]) => id))
  for (const { nodeId } of inbox.items) {
    if (waiting.delete(nodeId)) continue
    found.push({ nodeId, rule: 'inbox', message: `the inbox shows '${nodeId}', which waits for nobody` })
  }
  for (const nodeId of waiting)
    found.push({ nodeId, rule: 'inbox', message: `'${nodeId}' waits for people and is not in the inbox` })
  return found
}

function isOpenApproval([, node]: [string, NodeState]): boolean {
  return node.status === 'waiting' && node.approval !== null
}

const COMPARED = [
  'pipelineId',
  'revision',
  'status',
  'lifecycle',
  'startedAt',
  'finishedAt',
  'closedAt',
  'nextWakeAt',
  'parentId',
  'originId',
] as const

function rowDifference(stored: ExecutionRow, folded: ExecutionRow): string | null {
  const wrong = COMPARED.find((field) => stored[field] !== folded[field])
  return wrong === undefined ? null : `${wrong} is ${stored[wrong]}, its journal says ${folded[wrong]}`
}
