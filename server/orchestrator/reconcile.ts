import type { AttemptKey, EngineInput, StartInput } from '@/core/engine/input'
import { resolveInput } from '@/core/engine/decide/start-attempt'
import { attemptId, type AttemptState, type ExecutionState } from '@/core/engine/state'
import { isWanted } from '@/core/engine/wanted'
import type { Clock } from '@/server/ports/clock'
import type { LogStore } from '@/server/ports/registry'
import type { AttemptResult, AttemptSink, Runner } from '@/server/ports/runner'
import type { InFlight, Live } from './live-execution'

/** Progress is recorded at most once a second an attempt; what comes faster is for nobody. */
const PROGRESS_EVERY_MS = 1000

export type ReconcilePorts = {
  readonly runner: Runner
  readonly clock: Clock
  readonly logs: LogStore
  /** Makes sure that the child of an attempt exists; its end is reported when it comes. */
  readonly startChild: (live: Live, attempt: AttemptState) => void
  /** Ends a child for its parent. */
  readonly cancelChild: (childId: string) => void
  /** Hands a result back to the commit loop. */
  readonly report: (executionId: string, input: Exclude<EngineInput, StartInput>) => void
  /** Lines of a node were written. */
  readonly logged: (executionId: string, nodeId: string) => void
  readonly logFailed: (error: unknown) => void
}

/**
 * Starts and stops the difference between what the state wants in flight and what is. Looks only at attempts that the
 * last entries touched. Called after the commit that made them durable, never before.
 */
export function createReconcile(ports: ReconcilePorts) {
  function sinkOf(live: Live, attempt: AttemptState, own: { value: InFlight | null }): AttemptSink {
    const { executionId } = live.state
    const key = keyOf(attempt)
    let progressAt = -Infinity
    let lastLine: Promise<void> | null = null
    const end = (result: AttemptResult) => {
      const aborted = own.value?.aborted === true
      if (own.value !== null) forget(live, attempt, own.value)
      if (result.ok === 'lost')
        ports.report(executionId, { type: 'lose_attempt', key, reason: result.reason })
      else if (result.ok)
        ports.report(executionId, { type: 'complete_attempt', key, outputs: result.outputs })
      // The engine ended the attempt itself (timeout): that its work now ends too is no news. A cancel awaits it.
      else if (
        !aborted ||
        live.state.inFlight.get(attemptId(attempt.node, attempt.item))?.token === attempt.token
      ) {
        ports.report(executionId, { type: 'fail_attempt', key, error: result.error })
      }
    }
    return {
      progress({ ratio, message }) {
        const now = ports.clock.now()
        if (now - progressAt < PROGRESS_EVERY_MS) return
        progressAt = now
        ports.report(executionId, { type: 'report_progress', key, ratio, message })
      },
      log(stream, text) {
        const { node: nodeId, generation, attempt: number, item } = attempt
        const line = {
          executionId,
          nodeId,
          generation,
          attempt: number,
          item,
          at: ports.clock.now(),
          stream,
          text,
        }
        lastLine = ports.logs.append([line]).then(() => ports.logged(executionId, nodeId), ports.logFailed)
      },
      done(result) {
        // Who sees the end of an attempt can read its log.
        if (lastLine === null) end(result)
        else void lastLine.then(() => end(result))
      },
    }
  }

  function dispatch(live: Live, id: string, attempt: AttemptState): void {
    const { state } = live
    const { child } = attempt
    if (child !== null) {
      live.inFlight.set(id, {
        token: attempt.token,
        // A parent that only leaves memory waits for its child as before: it is folded again.
        handle: { abort: (reason) => (reason === 'shutdown' ? undefined : ports.cancelChild(child)) },
        aborted: false,
      })
      ports.startChild(live, attempt)
      return
    }
    const compiled = state.pipeline.nodes.get(attempt.node)!
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
        idempotencyKey: idempotencyKeyOf(state, attempt),
        task: compiled.task,
        input: resolved.input,
        deadline: attempt.deadline,
      },
      sinkOf(live, attempt, own),
    )
    own.value = { token: attempt.token, handle, aborted: false }
    live.inFlight.set(id, own.value)
  }

  function abort(running: InFlight, reason: 'cancelled' | 'timeout'): void {
    if (running.aborted) return
    running.aborted = true
    running.handle.abort(reason)
  }

  return function reconcile(live: Live): void {
    const { state } = live
    for (const id of state.touched) {
      const attempt = state.inFlight.get(id)
      const running = live.inFlight.get(id)
      if (running !== undefined && attempt?.token !== running.token) abort(running, 'timeout')
      else if (running !== undefined && attempt?.stopping) abort(running, 'cancelled')
      // The runner tells when its work has ended; of a child nobody else does.
      if (running !== undefined && attempt === undefined) live.inFlight.delete(id)
      if (attempt === undefined || attempt.token === running?.token) continue
      if (isWanted(attempt) || attempt.child !== null) dispatch(live, id, attempt)
      else if (attempt.stopping && attempt.placement !== 'engine') {
        ports.report(state.executionId, {
          type: 'lose_attempt',
          key: keyOf(attempt),
          reason: 'nobody was at it when it was cancelled',
        })
      }
    }
    state.touched.clear()
  }
}

function forget(live: Live, attempt: AttemptState, own: InFlight): void {
  const id = attemptId(attempt.node, attempt.item)
  if (live.inFlight.get(id) === own) live.inFlight.delete(id)
}

export function keyOf(attempt: AttemptState): AttemptKey {
  const { node, generation, item, attempt: number, token } = attempt
  return { node, generation, item, attempt: number, token }
}

/** Stable over retries and lost re-dispatch; only a reset changes it. */
function idempotencyKeyOf(state: ExecutionState, attempt: AttemptState): string {
  return `${state.executionId}/${attempt.node}/${attempt.generation}/${attempt.item ?? 0}`
}
