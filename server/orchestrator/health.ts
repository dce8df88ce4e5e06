import type { Clock } from '@/server/ports/clock'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { Violation } from './contract'
import { checkExecution, type ExecutionCheckPorts, type Finding } from './execution-check'
import type { Live } from './live-execution'
import { remakeIndexes, type RemakePorts } from './remake-indexes'

/** Executions that one check looks at: it goes round over all that are open, a few at a time. */
const CHECKED_AT_ONCE = 20
/** A wake-up that is late by more than this was lost by the sweep as well. */
const OVERDUE_MS = 2 * 60_000
/** The most violations that are listed: past it something is wrong with everything, and more of them add nothing. */
const KEPT = 1_000

export type HealthPorts = ExecutionCheckPorts &
  RemakePorts & {
    readonly clock: Clock
    readonly executions: Pick<ExecutionRegistry, 'get' | 'open' | 'due'>
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
  let published = ''

  const violations = (): readonly Violation[] => [
    ...apart.values(),
    ...[...found.values()].flat(),
    ...overdue,
  ]

  function notifyIfChanged(): void {
    const now = JSON.stringify(
      violations().map((one) => [one.executionId, one.nodeId, one.rule, one.message]),
    )
    if (now === published) return
    published = now
    ports.changed()
  }

  function note(executionId: string, now: readonly Finding[]): void {
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

  /** One that moves while it is looked at comes up again on the next round. */
  async function examine(executionId: string): Promise<void> {
    const wrong = await checkExecution(ports, executionId)
    if (wrong !== null) note(executionId, wrong)
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
      overdue = (await findOverdue(ports)).filter(({ executionId }) => !apart.has(executionId))
      notifyIfChanged()
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
      notifyIfChanged()
    },

    /** The execution was removed: there is nothing to say of it any more. */
    forget(executionId: string): void {
      apart.delete(executionId)
      found.delete(executionId)
      notifyIfChanged()
    },

    violations,

    /** Makes the indexes of an execution again from its journal and takes it up. @throws what made the fold fail */
    async repair(executionId: string): Promise<boolean> {
      const live = ports.live(executionId)
      if (live !== undefined) ports.evict(live)
      await ports.durable()
      if ((await executions.get(executionId)) === null) return false
      if (!(await remakeIndexes(ports, executionId))) return false
      apart.delete(executionId)
      await ports.takeUpAgain(executionId)
      await examine(executionId)
      notifyIfChanged()
      return true
    },
  }
}

/** Executions whose wake-up the sweep has lost as well. */
async function findOverdue({ clock, executions }: HealthPorts): Promise<Violation[]> {
  const late = await executions.due(clock.now() - OVERDUE_MS, CHECKED_AT_ONCE)
  return late.map(({ executionId, nextWakeAt }) => ({
    executionId,
    nodeId: null,
    rule: 'overdue',
    message: 'its wake-up is long over and nothing happened',
    since: nextWakeAt ?? clock.now(),
  }))
}

export type Health = ReturnType<typeof createHealth>
