import type { EngineObserver } from '@/server/ports/observer'
import type { Outbox } from '@/server/ports/webhooks'
import type { Commit } from './contract'
import type { ValuesOfRuns } from './large-values'
import type { Live, LiveExecutions } from './live-execution'
import type { NodeDurations } from './node-durations'
import type { OwnedJournal, OwnWrite } from './owned-journal'
import { approvalChanges, rowOf } from './registry-row'
import type { Open, Submission } from './submission'

export type CommitPorts = {
  readonly journal: Pick<OwnedJournal, 'commit'>
  /** Large values are on disk before the entries that name them. */
  readonly values: Pick<ValuesOfRuns, 'flush'>
  readonly lives: LiveExecutions
  readonly durations: NodeDurations
  /** Webhooks that events are sent to; absent: none. */
  readonly outbox?: Outbox | undefined
  readonly observer?: EngineObserver | undefined
  /** Called after the commit, once per execution in it, before its inputs are answered. */
  readonly committed: (live: Live, commit: Commit) => void
  /** Takes an execution out of memory whose state is not what the journal holds. */
  readonly evict: (live: Live) => void
}

/**
 * Writes what a batch decided in one transaction, then hands it on and answers. Answers with the inputs that have to be decided again:
 * somebody else had written their execution. @throws when the journal cannot be written: nobody was answered
 */
export function createCommit(ports: CommitPorts) {
  const { outbox, durations, lives } = ports

  function writeOf(executionId: string, { live, ...open }: Open): OwnWrite {
    const row = rowOf(live.state, live.row)
    const approvals = approvalChanges(live.state, open.entries)
    const deliveries = outbox?.owed(live.state.pipeline.definition.id, open.entries) ?? []
    return {
      executionId,
      expectedSeq: open.expectedSeq,
      entries: open.entries,
      ...(row === live.row ? {} : { row }),
      ...(open.idempotency.length === 0 ? {} : { idempotency: open.idempotency }),
      ...(approvals.opened.length === 0 ? {} : { approvalsOpened: approvals.opened }),
      ...(approvals.closed.length === 0 ? {} : { approvalsClosed: approvals.closed }),
      ...(deliveries.length === 0 ? {} : { deliveries }),
    }
  }

  /** The executions that conflicted. */
  async function write(writes: readonly OwnWrite[]): Promise<readonly string[]> {
    const executions = writes.filter(({ entries, row }) => entries.length > 0 || row !== undefined)
    // Statistics are a by-product: they are written when a run ends, not with each of its commits.
    const runEnds = executions.some(({ row }) => row?.finishedAt != null)
    const statistics = runEnds ? durations.take() : []
    await ports.values.flush(executions.map(({ executionId }) => executionId))
    return executions.length === 0 ? [] : (await ports.journal.commit({ executions, statistics })).conflicts
  }

  /** What was decided for them is void: they are folded again, and their inputs decided again. */
  function takeBack(opens: Map<string, Open>, conflicts: readonly string[]): Submission[] {
    return conflicts.flatMap((executionId) => {
      const open = opens.get(executionId)!
      opens.delete(executionId)
      ports.evict(open.live)
      return open.answers.map(({ submission: { live: _stale, ...again } }) => again)
    })
  }

  return async function commit(opens: Map<string, Open>): Promise<Submission[]> {
    const writes = [...opens].map(([executionId, open]) => writeOf(executionId, open))
    const again = takeBack(opens, await write(writes))
    for (const { executionId, deliveries } of writes)
      if (deliveries !== undefined && opens.has(executionId)) outbox?.committed(deliveries)
    for (const { executionId, row = null } of writes) {
      const open = opens.get(executionId)
      if (open === undefined) continue
      const { live, entries } = open
      if (row !== null) live.row = row
      ports.committed(live, { executionId, entries, state: live.state, row })
      for (const { submission, entries: own } of open.answers) {
        submission.settle({ ok: true, entries: own, live })
        if (submission.arrivedAt !== undefined)
          ports.observer?.transition(ports.observer.now() - submission.arrivedAt)
      }
      lives.note(live)
    }
    return again
  }
}
