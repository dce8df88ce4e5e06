import type { Clock } from '@/server/ports/clock'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { SubmittedInput } from './contract'
import type { Health } from './health'
import type { PhaseOf } from './phase'
import type { Schedules } from './schedules'

/** Executions that one sweep looks at. */
const MOST_DUE = 1_000

export type SweepPorts = {
  readonly phase: PhaseOf
  readonly clock: Clock
  readonly executions: ExecutionRegistry
  readonly health: Pick<Health, 'check'>
  readonly schedules: Pick<Schedules, 'look'>
  readonly report: (executionId: string, input: SubmittedInput) => Promise<boolean>
  readonly warn: (what: string, error: unknown) => void
}

/** The slow net under the wake-ups: whatever is due is looked at, every `everyMs` milliseconds. */
export function createSweep(ports: SweepPorts, everyMs: number) {
  const { clock, executions, warn } = ports
  let cancel: (() => void) | null = null

  function sweep(): void {
    if (ports.phase.now !== 'ready') return
    executions.due(clock.now(), MOST_DUE).then(
      (rows) => {
        for (const row of rows) void ports.report(row.executionId, { type: 'tick' })
      },
      (error: unknown) => warn('the sweep could not read what is due', error),
    )
    ports.health.check().catch((error: unknown) => warn('the check of what holds failed', error))
    ports.schedules.look()
    cancel = clock.after(everyMs, sweep)
  }

  return { start: sweep, stop: () => cancel?.() }
}

export type Sweep = ReturnType<typeof createSweep>
