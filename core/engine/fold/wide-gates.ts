import type { ExecutionState } from '@/core/engine/state'

/** Something happened to a node: the gates that name it are to be evaluated again, the wide ones only where they name it. */
export function markGatesDirty(
  state: ExecutionState,
  gates: readonly string[] | undefined,
  producer: string,
): void {
  for (const id of gates ?? []) {
    state.dirty.add(id)
    state.wideWaits.get(id)?.touched.push(producer)
  }
}
