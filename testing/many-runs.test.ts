import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restClient, type RestClient } from './rest-client'
import { startServer, type ServerProcess } from './server-process'

const RUNS = 100
const PAIRS = 10

describe('many runs at once', () => {
  let server: ServerProcess
  let client: RestClient
  beforeAll(async () => {
    server = await startServer()
    client = restClient(server)
  }, 60_000)
  afterAll(() => server.stop())

  it(`[N-1][N-2][N-14] ${RUNS} runs of a ${2 * PAIRS}-node pipeline, half of it in child processes, each with another input`, async () => {
    // Two chains side by side: v0 → j0 → v1 → j1 …: `set` in the server, a script in a child process.
    const nodes = Array.from({ length: PAIRS }, (_, index) => {
      const before = index === 0 ? 'pipeline.input.n' : `j${index - 1}.result`
      return [
        {
          id: `v${index}`,
          task: 'set',
          startWhen: index === 0 ? 'event:pipeline.started' : `event:j${index - 1}.completed`,
          inputBindings: { n: `{{ ${before} + 1 }}` },
        },
        {
          id: `j${index}`,
          task: 'script.javascript',
          startWhen: `event:v${index}.completed`,
          inputBindings: { code: 'return input * 2', input: `{{ v${index}.n }}` },
        },
      ]
    }).flat()
    await client.define({
      schemaVersion: 1,
      id: 'many',
      name: 'many',
      inputs: { n: { type: 'number' } },
      outputs: { n: { value: `{{ j${PAIRS - 1}.result }}`, required: true } },
      nodes,
    })
    const ids = await Promise.all(Array.from({ length: RUNS }, (_, n) => client.start('many', { n })))
    expect(new Set(ids).size).toBe(RUNS)
    await Promise.all(ids.map((id) => client.follow(id, ({ type }) => type === 'pipeline.closed')))
    for (const [n, id] of ids.entries()) {
      let expected = n
      for (let pair = 0; pair < PAIRS; pair++) expected = (expected + 1) * 2
      const view = await client.execution(id)
      expect(view.status).toBe('completed')
      expect(view.outputs).toEqual({ n: expected })
    }
  }, 300_000)
})
