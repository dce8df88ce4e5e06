import type { Entry } from '@/core/engine/event'
import { violations as stateViolations } from '@/core/engine/invariants'
import type { NodeState } from '@/core/engine/state'
import type { Clock } from '@/server/ports/clock'
import type { ExecutionRow } from '@/server/ports/journal'
import type { ApprovalInbox, ExecutionRegistry } from '@/server/ports/registry'
import type { Violation } from './contract'
import type { Fold } from './fold'
import type { Live } from './live-execution'
import type { OwnedJournal } from './owned-journal'
import { approvalsOf, rowOf } from './registry-row'

/** Executions that one check looks at: it goes round over all that are open, a few at a time. */
const CHECKED_AT_ONCE = 20
/** A wake-up that is late by more than this was lost by the sweep as well. */
const OVERDUE_MS = 2 * 60_000
/** Violations that are kept: past it something is wrong with everything, and more of them tell nothing. */
const KEPT = 1_000
const PAGE = 1_000

export type HealthPorts = {
  readonly clock: Clock
  readonly journal: Pick<OwnedJournal, 'read' | 'commit'>
  readonly executions: ExecutionRegistry
  readonly approvals: ApprovalInbox
  /** The execution when it is in memory. */
  readonly live: (executionId: string) => Live | undefined
  /** Is the execution being brought to what its parent wants right now? */
  readonly isAligning: (executionId: string) => boolean
  readonly fold: Fold
  /** Resolves when no commit is under way. */
  readonly durable: () => Promise<void>
  /** Takes the execution out of memory, with what is in flight for it. */
  readonly evict: (live: Live) => void
  /** Takes it up again from the journal. */
  readonly takeUpAgain: (executionId: string) => Promise<unknown>
  /** What does not hold is another than before. */
  readonly changed: () => void
  readonly warn: (what: string, error: unknown) => void
}

/**
 * What does not hold, found by looking at a few executions after the other: the invariants of the engine, and whether the
 * indexes over the journal (registry row, inbox) say what its fold says. An execution that cannot be folded or stepped is
 * set apart, so that it stops nobody else [T15]; a repair makes its indexes again and takes it up.
 */
export function createHealth(ports: HealthPorts) {
  const { clock, executions } = ports
  const apart = new Map<string, Violation>()
  const found = new Map<string, readonly Violation[]>()
  let overdue: readonly Violation[] = []
  let after: string | undefined
  let told = ''

  const violations = (): readonly Violation[] => [
    ...apart.values(),
    ...[...found.values()].flat(),
    ...overdue,
  ]

  function tellIfChanged(): void {
    const now = JSON.stringify(
      violations().map((one) => [one.executionId, one.nodeId, one.rule, one.message]),
    )
    if (now === told) return
    told = now
    ports.changed()
  }

  function note(executionId: string, now: readonly Omit<Violation, 'executionId' | 'since'>[]): void {
    const before = found.get(executionId) ?? []
    found.delete(executionId)
    if (now.length === 0 || found.size >= KEPT) return
    const same = (a: Pick<Violation, 'rule' | 'message'>, b: Violation) =>
      a.rule === b.rule && a.message === b.message
    found.set(
      executionId,
      now.map((one) => ({
        executionId,
        ...one,
        since: before.find((other) => same(one, other))?.since ?? clock.now(),
      })),
    )
  }

  async function examine(executionId: string): Promise<void> {
    const live = ports.live(executionId)
    const state = live?.state ?? (await ports.fold(executionId))
    if (state === null) return note(executionId, [])
    const { seq } = state
    await ports.durable()
    const row = await executions.get(executionId)
    const inbox = await ports.approvals.pending({ limit: PAGE, executionId })
    const moved =
      live === undefined && (await ports.journal.read(executionId, { after: seq, limit: 1 })).length > 0
    // Nothing in memory is ahead of the journal now; children are looked at as well.
    await ports.durable()
    // It moved meanwhile, or came into memory: it is looked at again on the next round.
    if (moved || ports.live(executionId) !== live || state.seq !== seq) return
    // A child that is on its way to what its parent wants is no violation.
    const childOf = (id: string) => (ports.isAligning(id) ? undefined : ports.live(id)?.state)
    const wrong: Omit<Violation, 'executionId' | 'since'>[] = stateViolations(state, childOf).map(
      (message) => ({
        nodeId: /'([^']+)'/.exec(message)?.[1] ?? null,
        rule: 'invariant',
        message,
      }),
    )
    const difference = row === null ? 'it has no row' : rowDifference(row, rowOf(state, null))
    if (difference !== null)
      wrong.push({ nodeId: null, rule: 'registry_row', message: `the registry is wrong: ${difference}` })
    const waiting = new Set([...state.nodes].filter(isOpenApproval).map(([id]) => id))
    for (const { nodeId } of inbox.items) {
      if (waiting.delete(nodeId)) continue
      wrong.push({ nodeId, rule: 'inbox', message: `the inbox shows '${nodeId}', which waits for nobody` })
    }
    for (const nodeId of waiting)
      wrong.push({ nodeId, rule: 'inbox', message: `'${nodeId}' waits for people and is not in the inbox` })
    note(executionId, wrong)
  }

  async function findOverdue(): Promise<void> {
    const late = await executions.due(clock.now() - OVERDUE_MS, CHECKED_AT_ONCE)
    overdue = late
      .filter(({ executionId }) => !apart.has(executionId))
      .map(({ executionId, nextWakeAt }) => ({
        executionId,
        nodeId: null,
        rule: 'overdue',
        message: 'its wake-up is long over and nothing happened',
        since: nextWakeAt ?? clock.now(),
      }))
  }

  return {
    /** One round's part: the next few open executions, and what is overdue. */
    async check(): Promise<void> {
      const rows = await executions.open({
        limit: CHECKED_AT_ONCE,
        ...(after === undefined ? {} : { after }),
      })
      after = rows.length < CHECKED_AT_ONCE ? undefined : rows.at(-1)?.executionId
      const again = [...found.keys()].slice(0, CHECKED_AT_ONCE)
      for (const executionId of new Set([...rows.map((row) => row.executionId), ...again])) {
        if (apart.has(executionId)) continue
        await examine(executionId).catch((error: unknown) => this.setApart(executionId, error))
      }
      await findOverdue()
      tellIfChanged()
    },

    /** Why an execution was set apart, or null. */
    apart: (executionId: string): string | null => apart.get(executionId)?.message ?? null,

    /** From now on nothing is done for the execution until somebody repairs it. */
    setApart(executionId: string, error: unknown): void {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `this run was set apart: ${reason.slice(0, 1_000)}`
      found.delete(executionId)
      apart.set(executionId, { executionId, nodeId: null, rule: 'set_apart', message, since: clock.now() })
      ports.warn(`${executionId} cannot go on and was set apart`, error)
      tellIfChanged()
    },

    /** The execution was removed: there is nothing to say of it any more. */
    forget(executionId: string): void {
      apart.delete(executionId)
      found.delete(executionId)
      tellIfChanged()
    },

    violations,

    /** Makes the indexes of an execution again from its journal and takes it up. @throws what made the fold fail */
    async repair(executionId: string): Promise<boolean> {
      const live = ports.live(executionId)
      if (live !== undefined) ports.evict(live)
      await ports.durable()
      if ((await executions.get(executionId)) === null) return false
      const entries: Entry[] = []
      const state = await ports.fold(executionId, (entry) => void entries.push(entry))
      if (state === null) return false
      const opened = approvalsOf(state, entries)
      const inbox = await ports.approvals.pending({ limit: PAGE, executionId })
      const closed = inbox.items
        .map(({ nodeId }) => nodeId)
        .filter((nodeId) => !opened.some((approval) => approval.nodeId === nodeId))
      await ports.journal.commit({
        executions: [
          {
            executionId,
            expectedSeq: state.seq,
            entries: [],
            row: rowOf(state, null),
            approvalsOpened: opened,
            approvalsClosed: closed,
          },
        ],
      })
      apart.delete(executionId)
      await ports.takeUpAgain(executionId)
      await examine(executionId)
      tellIfChanged()
      return true
    },
  }
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
] as const

function rowDifference(stored: ExecutionRow, folded: ExecutionRow): string | null {
  const wrong = COMPARED.find((field) => stored[field] !== folded[field])
  return wrong === undefined ? null : `${wrong} is ${stored[wrong]}, its journal says ${folded[wrong]}`
}
