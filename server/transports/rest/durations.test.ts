import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({ people: { root: ['editor', 'operator', 'viewer'], nobody: [] } })
})
afterAll(() => api[Symbol.asyncDispose]())

const S = 'event:pipeline.started'
const durations = (id: string, query = '', who = 'root') =>
  api.call('GET', `/api/v1/pipelines/${id}/durations${query}`, undefined, { authorization: `Bearer ${who}` })

describe('how long nodes took', () => {
  it('covers the runs that were closed last, newest first, with what decided how long they took', async () => {
    const nodes = [
      { id: 'a', task: 'set', inputBindings: { v: 1 }, startWhen: S },
      { id: 'no', task: 'fail', inputBindings: { message: 'no' }, startWhen: 'event:a.completed' },
      { id: 'z', task: 'noop', startWhen: 'event:no.completed' },
    ]
    await api.call('POST', '/api/v1/pipelines', { schemaVersion: 1, id: 'p', name: 'p', nodes })
    expect((await durations('p')).body).toEqual({
      runs: [],
      nodes: [],
      nodes_total: 0,
      critical_ms: 0,
      savings: null,
      pending: 0,
      unreadable: 0,
    })
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      const { body } = await api.call('POST', '/api/v1/pipelines/p/executions', {})
      ids.push((body as { execution_id: string }).execution_id)
      await api.closed(ids.at(-1)!)
    }
    const answer = await durations('p', '?limit=2')
    expect(answer.status).toBe(200)
    const body = answer.body as { runs: object[]; nodes: { node_id: string; cells: object[] }[] }
    expect(body).toMatchObject({ nodes_total: 3, pending: 0, unreadable: 0 })
    expect(body.runs).toEqual(
      [ids[2], ids[1]].map((id) =>
        expect.objectContaining({ execution_id: id, status: 'failed', revision: 1 }),
      ),
    )
    // A run by the median durations, and what would make it shorter: with a hundred slots no slot would.
    expect(body).toMatchObject({
      savings: { total_ms: expect.any(Number) as number, nodes: expect.any(Array) as object[], places: [] },
    })
    const cellsOf = (id: string) => body.nodes.find((node) => node.node_id === id)?.cells
    const ended = (status: string) => ({ status, attempts: 1, duration_ms: expect.any(Number) as number })
    expect(cellsOf('a')).toEqual([ended('completed'), ended('completed')])
    expect(cellsOf('no')).toEqual([ended('failed'), ended('failed')])
    expect(cellsOf('z')).toEqual(Array(2).fill({ status: 'skipped', attempts: 0, duration_ms: null }))
  })

  it('of what is not there is refused, and so is who may not read or asks for too much', async () => {
    expect((await durations('none')).status).toBe(404)
    expect((await durations('p', '', 'nobody')).status).toBe(403)
    expect((await durations('p', '?limit=51')).status).toBe(422)
  })
})
