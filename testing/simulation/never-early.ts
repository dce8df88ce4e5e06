import type { Entry } from '@/core/engine/event'

/**
 * Every time that a log names was kept: nothing that waits for an instant happened before it, by the clock of the journal, and no
 * duration is negative although the clock may have been set back. Answers with what did not hold.
 */
export function earlyEvents(log: readonly Entry[]): string[] {
  const found: string[] = []
  const due = new Map<string, string>()
  for (const { event } of log) {
    const { type, payload, timestamp } = event
    const node = event.source.entity_id
    const place = `${node}/${event.item ?? ''}`
    const name = event.source.entity_type === 'pipeline' ? type : type.slice(node.length + 1)
    const notBefore = (instant: unknown, what: string) => {
      if (typeof instant === 'string' && timestamp < instant)
        found.push(`${event.id} (${type}) at ${timestamp}: ${what} was due at ${instant}`)
    }
    const { due_at, timeout_at, duration_ms } = payload
    if (typeof duration_ms === 'number' && duration_ms < 0)
      found.push(`${event.id} (${type}) took ${duration_ms} ms`)
    switch (name) {
      case 'pipeline.started':
      case 'pipeline.restarted':
        if (typeof timeout_at === 'string') due.set('run', timeout_at)
        break
      case 'pipeline.cancelling':
        if (payload['timed_out'] === true) notBefore(due.get('run'), 'the timeout of the run')
        break
      case 'retrying':
        due.set(`retry ${place}`, String(due_at))
        break
      case 'reset':
        for (const key of due.keys()) if (key.split(/[ /]/)[1] === node) due.delete(key)
        break
      case 'waiting':
        if (payload['expired'] === true) notBefore(due.get(`start ${node}`), 'the start timeout')
        else if (typeof due_at === 'string')
          due.set(
            payload['for'] === 'time'
              ? `wait ${place}`
              : payload['for'] === 'people'
                ? `people ${node}`
                : `start ${node}`,
            due_at,
          )
        break
      case 'timeout':
        notBefore(due.get(`people ${node}`), 'the deadline of the approval')
        break
      case 'queued':
        notBefore(due.get(`retry ${place}`), 'the next try')
        due.delete(`retry ${place}`)
        break
      case 'task.started':
        notBefore(due.get(`retry ${place}`), 'the next try')
        due.delete(`retry ${place}`)
        if (typeof timeout_at === 'string') due.set(`attempt ${place}`, timeout_at)
        break
      case 'task.lost':
        if (typeof timeout_at === 'string') due.set(`attempt ${place}`, timeout_at)
        break
      case 'task.completed':
        notBefore(due.get(`wait ${place}`), 'the end of the wait')
        break
      case 'task.failed': {
        const { kind, message } = payload['error'] as { kind: string; message: string }
        if (kind === 'timeout' && message.includes('took longer'))
          notBefore(due.get(`attempt ${place}`), 'the timeout')
        break
      }
    }
  }
  return found
}
