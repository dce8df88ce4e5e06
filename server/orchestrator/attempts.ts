import { compiledOf } from '@/core/engine/decide/attempt-outcome'
import { resolveInput } from '@/core/engine/decide/start-attempt'
import { traceparentOf } from '@/core/engine/trace'
import { attemptId, type AttemptState } from '@/core/engine/state'
import type { AttemptEffect } from '@/core/engine/wanted'
import type { Clock } from '@/server/ports/clock'
import type { LogStore } from '@/server/ports/registry'
import type { AttemptResult, AttemptSink, Runner } from '@/server/ports/runner'
import { idempotencyKeyOf, keyOf } from './attempt-key'
import type { SubmittedInput } from './contract'
import type { InFlight, Live } from './live-execution'
import type { Performer } from './performer'

/** Progress is recorded at most once a second an attempt; what comes faster is for nobody. */
const PROGRESS_EVERY_MS = 1000

export type AttemptsPorts = {
  readonly runner: Runner
  readonly clock: Clock
  readonly logs: LogStore
  /** Hands a result back to the commit loop. */
  readonly report: (executionId: string, input: SubmittedInput) => void
  /** Lines of a node were written. */
  readonly logged: (executionId: string, nodeId: string) => void
  /** Absent: nothing is traced. */
  readonly traceShare?: number | undefined
  readonly logFailed: (error: unknown) => void
  /** What was occupied is free: others may take it. */
  readonly vacated: () => void
}

/** Puts workers to attempts, and ends them. `Live.inFlight` says who is at work. */
export function createAttempts(ports: AttemptsPorts): Performer<AttemptEffect> {
  function dispatch(live: Live, { key, attempt }: AttemptEffect): void {
    const { state } = live
    const compiled = compiledOf(state, attempt)
    const resolved = resolveInput(state, compiled, { upTo: attempt.startedSeq, item: attempt.item })
    if (!resolved.ok) {
      ports.report(state.executionId, { type: 'fail_attempt', key: keyOf(attempt), error: resolved.error })
      return
    }
    const own: { value: InFlight | null } = { value: null }
    const handle = ports.runner.dispatch(
      {
        executionId: state.executionId,
        pipelineId: state.pipeline.definition.id,
        nodeId: attempt.node,
        generation: attempt.generation,
        item: attempt.item,
        attempt: attempt.attempt,
        token: attempt.token,
        idempotencyKey: idempotencyKeyOf(state.executionId, attempt),
        task: compiled.task,
        input: resolved.input,
        timeoutMs: compiled.timeoutMs,
        ...(ports.traceShare === undefined
          ? {}
          : { traceparent: traceparentOf(state, attempt, ports.traceShare) }),
      },
      sinkOf(ports, live, attempt, own),
    )
    const { token, demands } = attempt
    own.value = { token, handle, demands, aborted: false, vacate: null }
    live.inFlight.set(key, own.value)
  }

  return {
    start(live, effect) {
      if (effect.desired === 'running') return dispatch(live, effect)
      const running = live.inFlight.get(effect.key)
      if (running?.token === effect.token) return abort(running, 'cancelled')
      ports.report(live.state.executionId, {
        type: 'lose_attempt',
        key: keyOf(effect.attempt),
        reason: 'nobody was at it when it was cancelled',
      })
    },
    stop(live, { key, token }) {
      const running = live.inFlight.get(key)
      if (running?.token !== token) return
      live.inFlight.delete(key)
      abort(running, 'timeout')
    },
  }
}

/** What a worker reports of its attempt, on its way into the commit loop and the log. */
function sinkOf(
  ports: AttemptsPorts,
  live: Live,
  attempt: AttemptState,
  own: { value: InFlight | null },
): AttemptSink {
  const { executionId } = live.state
  const key = keyOf(attempt)
  const id = attemptId(attempt.node, attempt.item)
  let progressAt = -Infinity
  let lastLine: Promise<void> | null = null
  const end = (result: AttemptResult) => {
    const aborted = own.value?.aborted === true
    if (own.value?.vacate) {
      own.value.vacate()
      own.value.vacate = null
      ports.vacated()
    }
    if (own.value !== null && live.inFlight.get(id) === own.value) live.inFlight.delete(id)
    if (result.ok === 'lost') ports.report(executionId, { type: 'lose_attempt', key, reason: result.reason })
    else if (result.ok) ports.report(executionId, { type: 'complete_attempt', key, outputs: result.outputs })
    // The engine ended the attempt itself (timeout): that its work now ends too is no news. A cancel awaits it.
    else if (!aborted || live.state.inFlight.get(id)?.token === attempt.token)
      ports.report(executionId, { type: 'fail_attempt', key, error: result.error })
  }
  return {
    begun() {
      // Where the engine takes the start for the beginning, this is no news.
      if (attempt.beginBy !== null) ports.report(executionId, { type: 'begin_attempt', key })
    },
    progress({ ratio, message }) {
      const now = ports.clock.now()
      if (now - progressAt < PROGRESS_EVERY_MS) return
      progressAt = now
      ports.report(executionId, { type: 'report_progress', key, ratio, message })
    },
    log(stream, text, agoMs = 0) {
      const { node: nodeId, generation, attempt: number, item } = attempt
      const at = ports.clock.now() - agoMs
      const line = { executionId, nodeId, generation, attempt: number, item, at, stream, text }
      lastLine = ports.logs.append([line]).then(() => ports.logged(executionId, nodeId), ports.logFailed)
    },
    done(result) {
      // Who sees the end of an attempt can read its log.
      if (lastLine === null) end(result)
      else void lastLine.then(() => end(result))
    },
  }
}

function abort(running: InFlight, reason: 'cancelled' | 'timeout'): void {
  if (running.aborted) return
  running.aborted = true
  running.handle.abort(reason)
}
