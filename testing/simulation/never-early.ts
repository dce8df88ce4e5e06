import type { Entry } from '@/core/engine/event'
import { typedEvent, type NodeEvent, type PipelineEvent, type TaskEvent } from '@/core/engine/typed-event'

/**
 * Every time that a log names was waited for: nothing that waits for an instant happened before it, by the clock of the journal,
 * and no duration is negative although the clock may have been set back. Answers with what did not hold.
 */
export function earlyEvents(log: readonly Entry[]): string[] {
  const found: string[] = []
  const due: Due = new Map()
  for (const { event } of log) {
    const { type, timestamp } = event
    const notBefore: NotBefore = (instant, what) => {
      if (instant !== undefined && timestamp < instant)
        found.push(`${event.id} (${type}) at ${timestamp}: ${what} was due at ${instant}`)
    }
    const typed = typedEvent(event)
    const { payload } = typed
    if ('duration_ms' in payload && typeof payload.duration_ms === 'number' && payload.duration_ms < 0)
      found.push(`${event.id} (${type}) took ${payload.duration_ms} ms`)
    if (typed.level === 'pipeline') ofRun(due, typed, notBefore)
    if (typed.level === 'node') ofNode(due, typed, notBefore)
    if (typed.level === 'task') ofAttempt(due, typed, notBefore)
  }
  return found
}

/** What is due when, by what waits for it. */
type Due = Map<string, string>
type NotBefore = (instant: string | undefined, what: string) => void

function ofRun(due: Due, typed: PipelineEvent, notBefore: NotBefore): void {
  switch (typed.word) {
    case 'started':
    case 'restarted':
      if (typed.payload.timeout_at !== undefined) due.set('run', typed.payload.timeout_at)
      break
    case 'cancelling':
      if (typed.payload.timed_out === true) notBefore(due.get('run'), 'the timeout of the run')
  }
}

function ofNode(due: Due, typed: NodeEvent, notBefore: NotBefore): void {
  const { node } = typed
  const place = `${node}/${typed.event.item ?? ''}`
  switch (typed.word) {
    case 'retrying':
      due.set(`retry ${place}`, typed.payload.due_at)
      break
    case 'reset':
      for (const key of due.keys()) if (key.split(/[ /]/)[1] === node) due.delete(key)
      break
    case 'waiting': {
      const { payload } = typed
      if (payload.for === 'event' && payload.expired === true)
        notBefore(due.get(`start ${node}`), 'the start timeout')
      else if (payload.due_at != null) {
        const keys = { time: `wait ${place}`, people: `people ${node}`, event: `start ${node}` }
        due.set(keys[payload.for], payload.due_at)
      }
      break
    }
    case 'timeout':
      notBefore(due.get(`people ${node}`), 'the deadline of the approval')
      break
    case 'queued':
      notBefore(due.get(`retry ${place}`), 'the next try')
      due.delete(`retry ${place}`)
  }
}

function ofAttempt(due: Due, typed: TaskEvent, notBefore: NotBefore): void {
  const place = `${typed.node}/${typed.event.item ?? ''}`
  switch (typed.word) {
    case 'started':
      notBefore(due.get(`retry ${place}`), 'the next try')
      due.delete(`retry ${place}`)
      noteClock(due, place, typed.payload)
      break
    case 'running':
      if (typed.payload.timeout_at !== undefined) due.set(`attempt ${place}`, typed.payload.timeout_at)
      break
    case 'lost':
      if (typed.payload.reason.includes('did not begin'))
        notBefore(due.get(`begin ${place}`), 'the latest beginning')
      noteClock(due, place, typed.payload)
      break
    case 'completed':
      notBefore(due.get(`wait ${place}`), 'the end of the wait')
      break
    case 'failed': {
      const { kind, message } = typed.payload.error
      if (kind === 'timeout' && message.includes('took longer'))
        notBefore(due.get(`attempt ${place}`) ?? 'never', 'the timeout')
    }
  }
}

/** A timeout of an earlier attempt is none of this one: it counts from its own beginning. */
function noteClock(due: Due, place: string, payload: { timeout_at?: string; begin_by?: string }): void {
  for (const [what, instant] of [
    ['attempt', payload.timeout_at],
    ['begin', payload.begin_by],
  ] as const) {
    if (instant === undefined) due.delete(`${what} ${place}`)
    else due.set(`${what} ${place}`, instant)
  }
}
