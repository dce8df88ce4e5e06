import { describe, expect, it } from 'vitest'
import { openApiServer } from '@/testing/api-server'

const people = { root: ['admin', 'viewer'], ada: ['editor'] }
const asAda = { authorization: 'Bearer ada' }

const writes = (resources: object) => ({
  schemaVersion: 1,
  id: 'p',
  name: 'P',
  nodes: [
    {
      id: 'a',
      task: 'file.write',
      inputBindings: { path: 'f.txt', content: 'x' },
      startWhen: 'event:pipeline.started',
      resources,
    },
  ],
})

describe('pools over REST', () => {
  it('[H-6] have their usual capacities until somebody sets them, and are made and removed', async () => {
    await using api = await openApiServer()
    const { body } = await api.call('GET', '/api/v1/pools')
    const capacities = (body as { items: { name: string; capacity: number | null }[] }).items.map(
      ({ name, capacity }) => [name, capacity],
    )
    expect(capacities).toEqual([
      ['children', expect.any(Number)],
      ['cpu', 100],
      ['gpu', 10],
      ['memory', 500 * 2 ** 30],
      ['slots', expect.any(Number)],
    ])
    const set = await api.call('PUT', '/api/v1/pools/memory', { capacity: '1.5Gi' })
    expect(set).toMatchObject({
      status: 200,
      body: { capacity: 1.5 * 2 ** 30, usual_capacity: 500 * 2 ** 30, unit: 'bytes', updated_by: 'root' },
    })
    await api.call('PUT', '/api/v1/pools/warehouse', { capacity: 4 })
    expect((await api.call('GET', '/api/v1/pools/warehouse')).body).toMatchObject({
      capacity: 4,
      usual_capacity: null,
      unit: 'units',
      exists: true,
    })
    expect((await api.call('DELETE', '/api/v1/pools/memory')).status).toBe(204)
    expect((await api.call('GET', '/api/v1/pools/memory')).body).toMatchObject({ capacity: 500 * 2 ** 30 })
    expect((await api.call('DELETE', '/api/v1/pools/warehouse')).status).toBe(204)
    expect((await api.call('GET', '/api/v1/pools/warehouse')).status).toBe(404)
    expect((await api.call('DELETE', '/api/v1/pools/warehouse')).status).toBe(404)
    const audit = await api.ctx.audit.read({ limit: 10 })
    expect(audit.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['root', 'pool.set', 'memory'],
      ['root', 'pool.set', 'warehouse'],
      ['root', 'pool.removed', 'memory'],
      ['root', 'pool.removed', 'warehouse'],
    ])
  })

  it.each([
    ['children', 4],
    ['default.cpu', 4],
    ['big.warehouse', 4],
    ['Upper', 4],
    ['cpu', -1],
    ['cpu', '4'],
    ['slots', 1.5],
    ['memory', 'much'],
  ])('[H-6] refuses %s with the capacity %j', async (name, capacity) => {
    await using api = await openApiServer()
    const answer = await api.call('PUT', `/api/v1/pools/${name}`, { capacity })
    expect(answer.status).toBe(422)
  })

  it('[H-6] only an admin sets them', async () => {
    await using api = await openApiServer({ people })
    expect((await api.call('PUT', '/api/v1/pools/cpu', { capacity: 1 }, asAda)).status).toBe(403)
    expect((await api.call('DELETE', '/api/v1/pools/cpu', undefined, asAda)).status).toBe(403)
    expect((await api.call('GET', '/api/v1/pools', undefined, asAda)).status).toBe(200)
  })

  it('[H-6] a demand that no run could have is refused when it is checked and when it is published', async () => {
    await using api = await openApiServer()
    const unknown = writes({ cpu: 1, pools: { warehouse: 2 } })
    const checked = await api.call('POST', '/api/v1/pipelines/validate', unknown)
    const issue = { path: ['nodes', 0, 'resources', 'pools', 'warehouse'], code: 'unknown_pool' }
    expect(checked.body).toMatchObject({ valid: false, issues: [issue] })
    const refused = await api.call('POST', '/api/v1/pipelines', unknown)
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_definition', issues: [issue] } },
    })
    await api.call('PUT', '/api/v1/pools/warehouse', { capacity: 1 })
    const small = await api.call('POST', '/api/v1/pipelines', unknown)
    expect(small.body).toMatchObject({ error: { issues: [{ code: 'pool_too_small', hint: 'at most 1' }] } })
    await api.call('PUT', '/api/v1/pools/warehouse', { capacity: 2 })
    expect((await api.call('POST', '/api/v1/pipelines', unknown)).status).toBe(201)
  })

  it('[H-5][H-6] a node waits for its pool, says why, and goes when an admin enlarges it', async () => {
    await using api = await openApiServer()
    expect((await api.call('POST', '/api/v1/pipelines', writes({ gpu: 2 }))).status).toBe(201)
    await api.call('PUT', '/api/v1/pools/gpu', { capacity: 1 })
    const started = await api.call('POST', '/api/v1/pipelines/p/executions', { inputs: {} })
    const { execution_id: id } = started.body as { execution_id: string }
    const why = await api.call('GET', `/api/v1/executions/${id}/nodes/a/explain`)
    expect(why.body).toMatchObject({
      status: 'queued',
      waiting_for: {
        kind: 'slot',
        text: 'waits for gpu: it needs 2 and there are only 1, until an admin changes the pool',
      },
    })
    expect((await api.call('GET', '/api/v1/pools/gpu')).body).toMatchObject({ in_use: 0, waiting: 1 })
    await api.call('PUT', '/api/v1/pools/gpu', { capacity: 2 })
    expect(await api.closed(id)).toMatchObject({ status: 'completed' })
  })
})
