import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'

let api: ApiServer
let base = ''
const asked: { url: string | undefined; key: unknown; body: string }[] = []
const other = createServer(async (request, response) => {
  asked.push({ url: request.url, key: request.headers['idempotency-key'], body: await text(request) })
  if (request.url?.startsWith('/busy')) response.writeHead(503, { 'retry-after': '1' }).end('busy')
  else if (request.url === '/away')
    response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end()
  else response.setHeader('content-type', 'application/json').end('{"rows":3}')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  base = `http://127.0.0.1:${port}`
  api = await openApiServer({ egressAllow: `127.0.0.1:${port}` })
})
afterAll(async () => {
  other.close()
  other.closeAllConnections()
  await api[Symbol.asyncDispose]()
})

const started = 'event:pipeline.started'

async function run(id: string, nodes: object[], inputs: object = {}) {
  const answer = await api.call('POST', '/api/v1/pipelines', {
    schemaVersion: 1,
    id,
    name: id,
    inputs: { base: { type: 'string', default: base } },
    nodes,
  })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  const execution = await api.call('POST', `/api/v1/pipelines/${id}/executions`, { inputs })
  const { execution_id: executionId } = execution.body as { execution_id: string }
  const view = await api.closed(executionId)
  return {
    executionId,
    issues: (answer.body as { issues: unknown[] }).issues,
    status: view['status'],
    nodes: view['nodes'] as Record<
      string,
      { status: string; attempts: number; outputs: unknown; error: unknown }
    >,
  }
}

describe('the way out, from a definition to its outputs', () => {
  it('calls an address that the operator opened, and the answer feeds the next node', async () => {
    const { executionId, status, nodes } = await run('calls', [
      {
        id: 'ask',
        task: 'http.request',
        startWhen: started,
        inputBindings: {
          method: 'POST',
          url: '{{ pipeline.input.base }}/reports',
          query: { station: 'a&b' },
          body: { base: '{{ pipeline.input.base }}' },
        },
      },
      {
        id: 'use',
        task: 'set',
        startWhen: 'event:ask.completed',
        inputBindings: { twice: '{{ ask.body.rows * 2 }}', status: '{{ ask.status }}' },
      },
    ])
    expect(status).toBe('completed')
    expect(nodes['use']?.outputs).toEqual({ twice: 6, status: 200 })
    expect(asked.at(-1)).toEqual({
      url: '/reports?station=a%26b',
      key: `${executionId}/ask/1/0`,
      body: JSON.stringify({ base }),
    })
  })

  it('tries again with the same key, and fails with what the other side said', async () => {
    const before = asked.length
    const { executionId, status, nodes } = await run('retries', [
      {
        id: 'ask',
        task: 'http.request',
        startWhen: started,
        retry: { maxAttempts: 2, delay: '1ms', jitter: 0 },
        inputBindings: { method: 'PUT', url: '{{ pipeline.input.base }}/busy', body: 'a' },
      },
    ])
    expect(status).toBe('failed')
    expect(nodes['ask']?.error).toMatchObject({
      kind: 'task_failed',
      detail: { status: 503, body: 'busy', retry_after: 1 },
    })
    const key = `${executionId}/ask/1/0`
    expect(asked.slice(before).map((request) => request.key)).toEqual([key, key])
  })

  it.each([
    ['another_port', 'http://127.0.0.1:1/'],
    ['inside', 'http://169.254.169.254/latest/meta-data/'],
    ['mapped', 'http://[::ffff:169.254.169.254]/'],
    ['by_redirect', '{{ pipeline.input.base }}/away'],
    ['file', 'file:///etc/passwd'],
  ])('[R-83] refuses %s: %s', async (id, url) => {
    const { status, nodes } = await run(`refused_${id}`, [
      { id: 'ask', task: 'http.request', startWhen: started, inputBindings: { method: 'GET', url } },
    ])
    expect(status).toBe('failed')
    expect(nodes['ask']?.error).toMatchObject({ kind: 'egress_refused' })
  })

  it('[SSRF] neither validating nor publishing a definition calls anything', async () => {
    const before = asked.length
    const definition = {
      schemaVersion: 1,
      id: 'quiet',
      name: 'quiet',
      nodes: [
        {
          id: 'ask',
          task: 'http.request',
          startWhen: started,
          inputBindings: { method: 'GET', url: `${base}/x` },
        },
      ],
    }
    expect((await api.call('POST', '/api/v1/pipelines/validate', definition)).body).toMatchObject({
      valid: true,
    })
    expect((await api.call('POST', '/api/v1/pipelines', definition)).status).toBe(201)
    expect(asked).toHaveLength(before)
  })

  it('warns of a program on a server where they are off, and fails it with the name of the setting', async () => {
    const { issues, status, nodes } = await run('programs', [
      { id: 'p', task: 'shell', startWhen: started, inputBindings: { command: ['true'] } },
    ])
    expect(issues).toMatchObject([{ code: 'task_disabled', path: ['nodes', 0, 'task'] }])
    expect(status).toBe('failed')
    expect(nodes['p']?.error).toEqual({
      kind: 'task_failed',
      message: 'shell is switched off on this server; PENSTOCK_ALLOW_SHELL=true turns it on',
    })
  })
})
