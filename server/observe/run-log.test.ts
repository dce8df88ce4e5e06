import { describe, expect, it } from 'vitest'
import { openApiServer } from '@/testing/api-server'
import { createLog } from './log'
import { logLine, type LogLine } from './log-line'
import { logCommit } from './run-log'

describe('the log of runs', () => {
  it('[H-21] says of each attempt what it was, in which phase, how long it took and in which span', async () => {
    await using server = await openApiServer()
    const written: LogLine[] = []
    const destination = { write: (text: string) => void written.push(logLine.parse(JSON.parse(text))) }
    const log = createLog({ level: 'debug', destination })
    server.ctx.feed.onCommit((commit) => logCommit(log, commit))
    const definition = {
      schemaVersion: 1,
      id: 'items',
      name: 'items',
      nodes: [
        {
          id: 'each',
          task: 'set',
          forEach: { items: '{{ [1, 2] }}' },
          inputBindings: { twice: '{{ item * 2 }}' },
          startWhen: 'event:pipeline.started',
        },
        { id: 'last', task: 'noop', startWhen: 'event:each.completed', phase: 'end' },
      ],
    }
    expect(await server.call('POST', '/api/v1/pipelines', definition)).toMatchObject({ status: 201 })
    const { body } = await server.call('POST', '/api/v1/pipelines/items/executions', {})
    const { execution_id: id } = body as { execution_id: string }
    await server.closed(id)
    expect(written.every((line) => line.execution_id === id)).toBe(true)
    const ended = written.filter(({ event }) => event === 'task_completed')
    expect(ended.map(({ task_id, phase_id }) => [task_id, phase_id])).toEqual([
      ['each/0', 'level_0'],
      ['each/1', 'level_0'],
      ['last', 'end'],
    ])
    const begun = written.filter(({ event }) => event === 'task_started')
    expect(begun.map(({ span_id }) => span_id)).toEqual(ended.map(({ span_id }) => span_id))
    expect(new Set(ended.map(({ span_id }) => span_id)).size).toBe(3)
    expect(new Set(written.map(({ trace_id }) => trace_id)).size).toBe(1)
    expect(written.at(-1)).toMatchObject({
      event: 'pipeline_closed',
      level: 'INFO',
      task_id: null,
      phase_id: null,
    })
    expect(written.find(({ event }) => event === 'pipeline_completed')?.duration_ms).toBeGreaterThanOrEqual(0)
  })
})
