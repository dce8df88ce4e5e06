import type { Entry } from '@/core/engine/event'
import { parseInstant } from '@/core/engine/instant'
import { attemptId, type ExecutionState } from '@/core/engine/state'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'

/** A run that nobody works for, and in which nothing happens for so long, waits: its slice has ended. Milliseconds. */
export const QUIET_MS = 10_000

/** A part of a run between two waits: entries from `first` to `last`, by seq. */
export type Slice = { readonly first: number; readonly last: number }

/** Does somebody work for the run now? Waiting for a time or for a run below is no work. */
export const isAtWork = ({ inFlight }: ExecutionState): boolean =>
  [...inFlight.values()].some(({ child, placement }) => child === null && placement !== 'engine')

/**
 * The slices of a journal: a new one begins after a wait, and after the run was closed. A function of the journal alone, so that every reader finds
 * the same ones.
 */
export function slicesOf(entries: readonly Entry[], pipeline: CompiledPipeline): Slice[] {
  const slices: Slice[] = []
  const working = new Set<string>()
  let first = 1
  for (const [at, { event }] of entries.entries()) {
    follow(working, event, pipeline)
    const next = entries[at + 1]?.event
    if (next === undefined) {
      slices.push({ first, last: event.seq })
      continue
    }
    const quiet =
      working.size === 0 && parseInstant(next.timestamp) - parseInstant(event.timestamp) >= QUIET_MS
    if (!quiet && event.type !== 'pipeline.closed') continue
    slices.push({ first, last: event.seq })
    first = next.seq
  }
  return slices
}

function follow(working: Set<string>, event: Entry['event'], pipeline: CompiledPipeline): void {
  const { level, node, word } = eventTypeOf(event.type)
  if (level !== 'task' && level !== 'rollback') return
  const key = attemptId(node, event.item ?? null)
  if (word === 'started') {
    const isWork = event.payload.child_execution_id === undefined
    if (isWork && pipeline.nodes.get(node)?.contract.placement !== 'engine') working.add(key)
  } else if (word === 'completed' || word === 'failed' || (word === 'lost' && event.payload.final === true))
    working.delete(key)
}
