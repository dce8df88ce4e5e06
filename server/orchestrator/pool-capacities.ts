import { CHILDREN, DEFAULT_CAPACITIES, SLOTS } from '@/core/pipeline/definition/demand'
import type { Admission } from '@/core/scheduling/admission'
import type { PoolRows } from '@/server/ports/pools'
import type { Runner } from '@/server/ports/runner'

/** Capacities where nobody said otherwise: those of the settings, and of the rest the usual ones [H-6]. */
export function usualCapacities(
  maxConcurrentTasks: number,
  runner: Pick<Runner, 'pools'>,
): ReadonlyMap<string, number> {
  const children = runner.pools().find(({ name }) => name === CHILDREN)?.capacity ?? Infinity
  return new Map([...DEFAULT_CAPACITIES, [SLOTS, maxConcurrentTasks], [CHILDREN, children]])
}

/** What people set of the pools, read when the engine begins and again after each change. */
export function createPoolCapacities(ports: {
  readonly rows: Pick<PoolRows, 'list'>
  readonly admission: Admission
  readonly usual: ReadonlyMap<string, number>
}) {
  const { rows, admission, usual } = ports
  /** One after the other, so that the last answer is of the last change. */
  let reading = Promise.resolve()

  async function read(): Promise<void> {
    const set = (await rows.list()).map(({ name, capacity }) => [name, capacity] as const)
    admission.setCapacities(new Map([...usual, ...set]))
  }

  return {
    usual,
    read(): Promise<void> {
      reading = reading.then(read, read)
      return reading
    },
  }
}

export type PoolCapacities = ReturnType<typeof createPoolCapacities>
