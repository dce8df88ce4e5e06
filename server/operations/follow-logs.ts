import { content } from './operation'
import { readLogs } from './read-logs'
import { exampleLogLine, logLine } from './schemas/log-line'

/** The log lines of a node as they are written. */
export const followLogs = content({
  summary: 'Follow the log of a node',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/nodes/:node_id/logs/stream' },
  request: readLogs.request.omit({ cursor: true, limit: true, search: true, stream: true }),
  errors: ['malformed', 'not_found', 'set_apart', 'unavailable'],
  content: {
    status: 200,
    type: 'text/event-stream',
    schema: logLine,
    description:
      'Log lines: `id` is the number of the line, `event` is `line`, `data` the line. The stream ends when the execution is closed and every line was sent.',
    example: exampleLogLine,
  },
})
