import type { ExecutionState } from '@/core/engine/state'

/** What is known of a wide gate that waits: a memory of whoever evaluates it, made again when it is not there. */
export type WideWait = {
  /** The events before this place in the gate have been decided, and not so that they decide the gate. */
  from: number
  /** Nodes that published something or ended since the gate was looked at. */
  readonly touched: string[]
}

/** Something happened to a node: the gates that name it have to be looked at again, the wide ones only where they name it. */
export function lookAgain(
  state: ExecutionState,
  gates: readonly string[] | undefined,
  producer: string,
): void {
  for (const id of gates ?? []) {
    state.dirty.add(id)
    state.wideWaits.get(id)?.touched.push(producer)
  }
}
