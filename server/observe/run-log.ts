import type { Entry, Event } from '@/core/engine/event'
import { attemptId, type ExecutionState } from '@/core/engine/state'
import { attemptSpanId, spanIdOf, traceOf } from '@/core/engine/trace'
import { eventTypeOf, type EventType } from '@/core/pipeline/gate/event-type'
import type { Log } from './log'
import type { Level } from './log-line'

type Commit = {
  readonly entries: readonly Entry[]
  readonly state: Pick<ExecutionState, 'executionId' | 'pipeline' | 'traceParent'>
}

/** Writes what a commit made durable. */
export function logCommit(log: Log, { entries, state }: Commit): void {
  const { traceId } = traceOf(state)
  for (const { event } of entries) {
    const type = eventTypeOf(event.type)
    const level = levelOf(type)
    if (!log.writes(level)) continue
    const ofNode = type.level !== 'pipeline' && type.level !== 'external'
    const { duration_ms: duration } = event.payload
    log.line(level, {
      execution_id: state.executionId,
      phase_id: ofNode ? (state.pipeline.nodes.get(type.node)?.phase ?? null) : null,
      event: type.level === 'external' ? 'external_event' : `${type.level}_${type.word}`,
      task_id: ofNode ? attemptId(type.node, event.item ?? null) : null,
      duration_ms: typeof duration === 'number' ? duration : null,
      trace_id: traceId,
      span_id: spanOf(state.executionId, type, event),
    })
  }
}

/** Failures stand out, the ends of attempts and what happens to a run are news, and the rest is for who looks closely. */
function levelOf({ level, word }: EventType): Level {
  if (level === 'external') return 'info'
  if (word === 'failed') return level === 'pipeline' ? 'error' : 'warn'
  if (word === 'lost' || word === 'timeout') return 'warn'
  if (level === 'pipeline') return 'info'
  return level !== 'node' && word === 'completed' ? 'info' : 'debug'
}

function spanOf(executionId: string, { level, node }: EventType, event: Event): string {
  if (level === 'task' || level === 'rollback') return attemptSpanId(executionId, attemptOf(node, event))
  return level === 'node' ? spanIdOf(executionId, node, event.generation) : spanIdOf(executionId)
}

/** The attempt that an event of a task is about. */
const attemptOf = (node: string, event: Event) => ({
  node,
  generation: event.generation,
  item: event.item ?? null,
  attempt: event.attempt ?? 1,
})
