import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({
    people: { root: ['viewer', 'operator', 'approver', 'editor', 'admin'], olga: ['operator', 'editor'] },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const S = 'event:pipeline.started'
const path = (rest: string) => `/api/v1${rest}`

let made = 0
async function run(nodes: object[], more: object = {}): Promise<string> {
  const id = `p_${(made += 1)}`
  await api.call('POST', path('/pipelines'), { schemaVersion: 1, id, name: id, nodes, ...more })
  const answer = await api.call('POST', path(`/pipelines/${id}/executions`), {})
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
  return (answer.body as { execution_id: string }).execution_id
}

describe('removing an execution', () => {
  it('[E-8] [N-17] an admin removes a closed run: 204, then 404 everywhere, and it is in the audit', async () => {
    const id = await run([{ id: 'a', task: 'set', startWhen: S, inputBindings: { x: 1 } }])
    await api.closed(id)
    const one = path(`/executions/${id}`)
    expect((await api.call('DELETE', one, undefined, { authorization: 'Bearer olga' })).status).toBe(403)
    expect((await api.call('DELETE', one)).status).toBe(204)
    for (const below of ['', '/events', '/variables', '/artifacts', '/entries', '/nodes/a/logs'])
      expect((await api.call('GET', one + below)).status, below).toBe(404)
    expect((await api.call('DELETE', one)).status).toBe(404)
    expect(await api.ctx.audit.read({ limit: 10 })).toMatchObject([
      { actor: 'root', action: 'execution.removed', subject: id },
    ])
    expect(api.defects).toEqual([])
  })

  it('[E-8] before its end it is refused: 409 with what to do', async () => {
    const id = await run([{ id: 'a', task: 'noop', startWhen: `${S} && event:external.go` }])
    const answer = await api.call('DELETE', path(`/executions/${id}`))
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'execution_open' } } })
    expect((await api.call('GET', path(`/executions/${id}`))).status).toBe(200)
    await api.call('POST', path(`/executions/${id}/cancel`), {})
  })
})
