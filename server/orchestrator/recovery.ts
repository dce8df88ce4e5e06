import { MOST_DEPTH } from '@/core/engine/decide/start-attempt'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { Children } from './children'
import type { SubmittedInput } from './contract'
import type { Live, LiveExecutions } from './live-execution'
import type { Memory } from './memory'
import type { OwnedJournal } from './owned-journal'
import type { PhaseOf } from './phase'
import type { PoolCapacities } from './pool-capacities'
import type { RunLimits } from './run-limits'
import type { WakeUps } from './wake-ups'

/** Rows that are read at once. */
const PAGE = 500

export type RecoveryPorts = {
  readonly phase: PhaseOf
  readonly journal: Pick<OwnedJournal, 'claim'>
  readonly executions: ExecutionRegistry
  readonly limits: RunLimits
  readonly capacities: Pick<PoolCapacities, 'read'>
  readonly lives: LiveExecutions
  readonly memory: Pick<Memory, 'load' | 'takeUp'>
  readonly wakeUps: WakeUps
  readonly children: Pick<Children, 'missingPauses'>
  readonly report: (executionId: string, input: SubmittedInput) => Promise<boolean>
  /** Resolves when everything that was submitted is committed. */
  readonly drained: () => Promise<void>
}

/** Makes the engine the owner of the store, and takes up every execution that is not closed. */
export function createRecovery(ports: RecoveryPorts) {
  const { phase, lives, limits, wakeUps, memory } = ports

  /** Everything that is open comes into memory, but what is parked. Answers with it: idle ones may leave memory again. */
  async function loadOpen(): Promise<Map<string, Live>> {
    const loaded = new Map<string, Live>()
    for (let after: string | undefined; ;) {
      const rows = await ports.executions.open(after === undefined ? { limit: PAGE } : { after, limit: PAGE })
      for (const row of rows) {
        // Only people, events or its timer can move it: it stays parked. A child may have lost its parent.
        if (row.status === 'waiting' && row.parentId === null && !(await limits.limited(row.pipelineId)))
          wakeUps.set(row.executionId, row.nextWakeAt)
        else {
          // One that cannot be folded is set apart, and the others go on.
          const live = await memory.load(row.executionId).catch(() => null)
          if (live !== null) loaded.set(row.executionId, live)
        }
      }
      after = rows.at(-1)?.executionId
      if (rows.length < PAGE) return loaded
    }
  }

  /** One round for each depth: a child that is paused now wants its own children paused. */
  async function pauseChildren(loaded: ReadonlyMap<string, Live>): Promise<void> {
    const get = (id: string) => lives.get(id) ?? loaded.get(id)
    for (let depth = 0; depth < MOST_DEPTH; depth++) {
      const missing = [...ports.children.missingPauses(loaded.keys(), get)]
      if (missing.length === 0) return
      for (const { executionId, input } of missing) void ports.report(executionId, input)
      await ports.drained()
    }
  }

  return async function recover(): Promise<void> {
    phase.now = 'loading'
    await ports.journal.claim()
    await ports.capacities.read()
    const loaded = await loadOpen()
    // Nothing moves before all slots that are held are counted, and children are paused whose parents are.
    await pauseChildren(loaded)
    phase.now = 'recovering'
    for (const live of new Set([...loaded.values(), ...lives.values()]))
      if (!live.takenUp) memory.takeUp(live)
    wakeUps.start()
    await ports.drained()
    phase.now = 'ready'
  }
}
