import type { ExecutionState } from '@/core/engine/state'
import { isSampled, traceOf } from '@/core/engine/trace'
import type { Clock } from '@/server/ports/clock'
import type { Journal } from '@/server/ports/journal'
import type { SpanExport } from './exporter'
import { isAtWork, QUIET_MS, slicesOf } from './slices'
import { spansOf } from './spans'

export type TracingPorts = {
  readonly journal: Pick<Journal, 'read'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly spans: SpanExport
  /** Share of all traces that is exported, 0 to 1; failures always are. */
  readonly share: number
  readonly warn: (what: string, error: unknown) => void
}

type Commit = { readonly executionId: string; readonly state: ExecutionState }

/** What is needed of a run when its slice has ended. */
type Ended = Pick<ExecutionState, 'executionId' | 'traceParent' | 'pipeline'> & {
  readonly last: number
  readonly at: number
  readonly failed: boolean
}

/**
 * Makes spans of the journal when a run ends or begins to wait, and sends them. Nothing is held open meanwhile: whether a trace is exported is
 * decided at the end, so that failures always are.
 */
export function createTracing({ journal, clock, spans, share, warn }: TracingPorts) {
  /** Runs in which nobody works since their last commit; the longest first. */
  const quiet = new Map<string, Ended>()
  let look: (() => void) | null = null
  let sending: Promise<void> = Promise.resolve()

  function committed({ executionId, state }: Commit): void {
    quiet.delete(executionId)
    if (state.closedAt === null && isAtWork(state)) return
    const { traceParent, pipeline, seq: last } = state
    const failed = state.lifecycle === 'FAILED' || state.firstFailure !== null || state.handledFailures > 0
    const ended = { executionId, traceParent, pipeline, last, at: clock.now(), failed }
    if (state.closedAt !== null) return send(ended)
    quiet.set(executionId, ended)
    look ??= clock.after(QUIET_MS, lookAgain)
  }

  function lookAgain(): void {
    look = null
    for (const [executionId, ended] of quiet) {
      const left = ended.at + QUIET_MS - clock.now()
      if (left > 0) {
        look = clock.after(left, lookAgain)
        return
      }
      quiet.delete(executionId)
      send(ended)
    }
  }

  function send(ended: Ended): void {
    const trace = traceOf(ended)
    const sampled = isSampled(trace, share)
    if (!sampled && !ended.failed) return
    sending = sending
      .then(async () => {
        const entries = await journal.read(ended.executionId)
        const upTo = entries.filter(({ event }) => event.seq <= ended.last)
        const slices = slicesOf(upTo, ended.pipeline)
        // Of a trace that was not to be exported nothing was sent so far: a failure is shown whole.
        for (const slice of sampled ? slices.slice(-1) : slices)
          spans.send(trace.traceId, spansOf(ended, upTo, slice))
      })
      .catch((error: unknown) => warn(`the trace of ${ended.executionId} was not exported`, error))
  }

  return {
    committed,
    /** The run was removed: nothing of it is sent any more. */
    removed: (executionId: string): void => void quiet.delete(executionId),
    /** Sends what has ended, and ends. What waits is sent with its next slice. */
    async close(): Promise<void> {
      look?.()
      quiet.clear()
      await sending
      await spans.close().catch((error: unknown) => warn('spans were not sent', error))
    },
  }
}
