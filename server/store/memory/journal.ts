import type {
  Batch,
  EventStore,
  ExecutionWrite,
  Journal,
  ListedEvent,
  Variable,
  VariableStore,
} from '@/server/ports/journal'
import { hiderOf, isSuperseded, supersedersOf } from '@/core/engine/fold/superseded'
import { checkBatch, commitResult, isOwner, payloadText } from '@/server/store/batch-check'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { checkEventFilter, matchesEvent } from '@/server/store/event-filter'
import { copyOf, keyOf } from './disk'
import type { MemoryDisk } from './disk'
import { owe } from './webhooks'

export function createMemoryJournal(disk: MemoryDisk): Journal {
  function accepts(write: ExecutionWrite): boolean {
    const stored = disk.journals.get(write.executionId)?.length ?? 0
    const taken = write.idempotency?.some((record) => disk.idempotency.has(keyOf(record.scope, record.key)))
    return stored === write.expectedSeq && taken !== true && isOwner(disk.owner, write)
  }

  function apply(write: ExecutionWrite): void {
    const { executionId, row } = write
    const journal = disk.journals.get(executionId) ?? []
    for (const entry of write.entries) journal.push(copyOf(entry))
    disk.journals.set(executionId, journal)
    if (row !== undefined) {
      const born = disk.executions.get(executionId)
      // What an execution is born with stays.
      const kept = born && {
        pipelineId: born.pipelineId,
        labels: born.labels,
        requestedBy: born.requestedBy,
        requestedById: born.requestedById,
        inputs: born.inputs,
        createdAt: born.createdAt,
        parentId: born.parentId,
        originId: born.originId,
      }
      disk.executions.set(executionId, copyOf({ ...row, ...kept }))
    }
    for (const record of write.idempotency ?? []) {
      disk.idempotency.set(keyOf(record.scope, record.key), copyOf({ ...record, executionId }))
    }
    for (const approval of write.approvalsOpened ?? []) {
      disk.approvals.set(keyOf(executionId, approval.nodeId), copyOf({ ...approval, executionId }))
    }
    for (const nodeId of write.approvalsClosed ?? []) disk.approvals.delete(keyOf(executionId, nodeId))
    for (const owed of write.deliveries ?? []) owe(disk, owed)
  }

  return {
    async commit(batch: Batch) {
      checkBatch(batch)
      for (const { entries } of batch.executions) for (const entry of entries) payloadText(entry.event)
      const conflicts = new Set<string>()
      for (const write of batch.executions) {
        if (!conflicts.has(write.executionId) && accepts(write)) apply(write)
        else conflicts.add(write.executionId)
      }
      const result = commitResult(disk.owner, batch, conflicts)
      if (result.ownedBy !== undefined) return result
      for (const it of batch.statistics ?? []) {
        disk.statistics.set(keyOf(it.pipelineId, it.nodeId), copyOf(it))
      }
      return result
    },
    async claim(owner) {
      disk.owner = { owner, epoch: disk.owner.epoch + 1 }
      return disk.owner.epoch
    },
    async read(executionId, range = {}) {
      const journal = disk.journals.get(requireExecutionId(executionId)) ?? []
      const after = range.after ?? 0
      const limit = range.limit === undefined ? journal.length : requireLimit(range.limit, 10_000_000)
      return copyOf(journal.slice(after, after + limit))
    },
  }
}

export function createMemoryEventStore(disk: MemoryDisk): EventStore {
  /** What counts, or all of it with what does not marked. */
  function eventsOf(executionId: string, superseded = false): ListedEvent[] {
    const events = (disk.journals.get(requireExecutionId(executionId)) ?? []).map((entry) => entry.event)
    const latest = supersedersOf(events)
    return events.flatMap((event): ListedEvent[] => {
      if (!isSuperseded(event, latest)) return [event]
      return superseded ? [{ ...event, superseded: true }] : []
    })
  }

  return {
    async has(executionId, type, options = {}) {
      return eventsOf(executionId, options.superseded).some((event) => event.type === type)
    },
    async get(executionId, type, { which = 'latest', superseded } = {}) {
      const events = eventsOf(executionId, superseded)
      const found =
        which === 'latest'
          ? events.findLast((event) => event.type === type)
          : events.find((event) => event.type === type)
      return found === undefined ? null : copyOf(found)
    },
    async query(executionId, filter) {
      const events = eventsOf(executionId, filter.superseded)
      const { limit } = checkEventFilter(filter)
      return copyOf(events.filter((event) => matchesEvent(filter, event)).slice(0, limit))
    },
  }
}

export function createMemoryVariableStore(disk: MemoryDisk): VariableStore {
  function latest(executionId: string): Map<string, Variable> {
    const values = new Map<string, Variable>()
    const journal = disk.journals.get(requireExecutionId(executionId)) ?? []
    const latest = supersedersOf(journal.map(({ event }) => event))
    for (const { event, variables } of journal) {
      for (const write of variables) {
        const hider = hiderOf(write.name)
        if (hider !== null && event.seq < (latest.get(hider) ?? 0)) continue
        values.set(write.name, { ...write, seq: event.seq })
      }
    }
    return values
  }

  return {
    async get(executionId, name) {
      return copyOf(latest(executionId).get(name) ?? null)
    },
    async exists(executionId, name) {
      return latest(executionId).has(name)
    },
    async list(executionId) {
      const values = [...latest(executionId).values()]
      return copyOf(values.sort((a, b) => (a.name < b.name ? -1 : 1)))
    },
  }
}
