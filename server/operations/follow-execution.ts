import { z } from 'zod'
import { content } from './operation'
import { idField } from './request-fields'
import { event, exampleEvent } from './schemas/event'

/** The answer of a stream of one execution. */
export const eventStream = {
  status: 200,
  type: 'text/event-stream',
  schema: event,
  description:
    'The events of the execution: `id` is the seq, `event` the type, `data` the event. The stream ends after `pipeline.closed`.',
} as const

/** The events of one execution as they are committed. */
export const followExecution = content({
  summary: 'Follow the events of an execution',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/stream' },
  request: z.strictObject({ execution_id: idField }),
  errors: ['malformed', 'not_found', 'set_apart', 'unavailable'],
  content: { ...eventStream, example: exampleEvent },
})
