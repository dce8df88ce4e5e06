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

describe('large values', () => {
  it('[R-61] variables have the reference, the artifact of that id is the value, and a child hands it to its parent', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024)
    const inner = {
      schemaVersion: 1,
      id: 'inner',
      name: 'inner',
      inputs: { text: { type: 'string' } },
      outputs: { text: { value: '{{ a.text }}', required: true } },
      nodes: [{ id: 'a', task: 'set', startWhen: S, inputBindings: { text: '{{ pipeline.input.text }}' } }],
    }
    expect((await api.call('POST', path('/pipelines'), inner)).status).toBe(201)
    const twelve = '+ s.t'.repeat(11)
    const id = await run(
      [
        { id: 's', task: 'set', startWhen: S, inputBindings: { t: 'x'.repeat(262_144) } },
        {
          id: 'big',
          task: 'set',
          startWhen: 'event:s.completed',
          inputBindings: { text: `{{ s.t ${twelve} }}` },
        },
        {
          id: 'child',
          pipeline: 'inner',
          startWhen: 'event:big.completed',
          inputBindings: { text: '{{ big.text }}' },
        },
      ],
      { outputs: { text: { value: '{{ child.text }}', required: true } } },
    )
    const view = await api.closed(id)
    expect(view).toMatchObject({ status: 'completed' })
    const variables = (await api.call('GET', path(`/executions/${id}/variables`))).body as {
      items: { name: string; ref?: { artifact_id: string; bytes: number } }[]
    }
    const refs = variables.items.filter(({ ref }) => ref !== undefined)
    expect(refs.map(({ name }) => name)).toEqual(['big.text', 'child.text', 'pipeline.output.text'])
    expect(new Set(refs.map(({ ref }) => ref?.artifact_id)).size).toBe(1)
    const answer = await api.call('GET', path(`/executions/${id}/artifacts/${refs[0]?.ref?.artifact_id}`))
    expect((answer.body as string).length).toBe(12 * 262_144)
    expect(answer.body).toBe(text)
    const child = (view['nodes'] as Record<string, { child_execution_id: string }>)['child']!
      .child_execution_id
    const copy = await api.call('GET', path(`/executions/${child}/artifacts/${refs[0]?.ref?.artifact_id}`))
    expect(copy.status).toBe(200)
    expect(api.defects).toEqual([])
  })
})

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

describe('health', () => {
  const violationsOf = async (id: string) => {
    const { body } = await api.call('GET', path('/health'))
    const { violations } = body as { violations: { execution_id: string; rule: string }[] }
    return violations.filter(({ execution_id }) => execution_id === id).map(({ rule }) => rule)
  }
  const repair = (id: string, person = 'root') =>
    api.call('POST', path('/health/repair'), { execution_id: id }, { authorization: `Bearer ${person}` })

  it('reports what is known and is ok', async () => {
    expect((await api.call('GET', path('/health'))).body).toMatchObject({
      status: 'ok',
      violations: [],
      storage: { level: 'ok', database_bytes: 0 },
      node: { version: process.version },
      queue: {
        slots: 100,
        in_use: 0,
        waiting: 0,
        children: { capacity: expect.any(Number), in_use: 0, waiting: 0 },
      },
    })
  })

  it('[T15] a run whose journal cannot be folded is set apart; the others go on; a repair takes it up when it can be', async () => {
    const id = await run([{ id: 'a', task: 'noop', startWhen: `${S} && event:external.go` }])
    const other = await run([{ id: 'a', task: 'noop', startWhen: `${S} && event:external.go` }])
    const journal = api.disk.journals.get(id)!
    const real = journal.at(-1)!
    // Damage: the last event is none that could be there; a repair folds again and finds it.
    journal[journal.length - 1] = { ...real, event: { ...real.event, type: 'pipeline.nonsense' } }
    expect(await repair(id)).toMatchObject({ status: 409, body: { error: { code: 'set_apart' } } })
    await api.call('POST', path('/events'), { execution_id: id, event_type: 'external.go' })
    expect(await violationsOf(id)).toEqual(['set_apart'])
    const publish = await api.call('POST', path('/events'), { execution_id: id, event_type: 'external.go' })
    expect(publish).toMatchObject({ status: 409, body: { error: { code: 'set_apart' } } })
    const post = (verb: string, body: object) => api.call('POST', path(`/executions/${id}/${verb}`), body)
    const dryRun = await post('rerun', { nodes: ['a'], dry_run: true })
    expect(dryRun).toMatchObject({ status: 409, body: { error: { code: 'set_apart' } } })
    const atDamage = await post('fork', { at_seq: journal.length })
    expect(atDamage).toMatchObject({ status: 409, body: { error: { code: 'set_apart' } } })
    expect(await post('fork', { at_seq: 1 })).toMatchObject({ status: 202 })
    expect((await api.call('GET', path(`/executions/${id}`))).status).toBe(409)
    expect((await api.call('GET', path(`/executions/${id}/events`))).status).toBe(200)
    await api.call('POST', path('/events'), { execution_id: other, event_type: 'external.go' })
    expect(await api.closed(other)).toMatchObject({ status: 'completed' })

    journal[journal.length - 1] = real
    expect(await repair(id)).toMatchObject({ status: 200, body: { violations: [] } })
    await api.call('POST', path('/events'), { execution_id: id, event_type: 'external.go' })
    expect(await api.closed(id)).toMatchObject({ status: 'completed' })
    api.defects.splice(0)
  })

  it('a damaged registry row and a lost line of the inbox are made again from the journal, and the audit records it', async () => {
    const gate = {
      id: 'gate',
      task: 'approval',
      startWhen: S,
      inputBindings: { message: 'ok?', approvers: ['role:approver'] },
    }
    const id = await run([gate])
    const row = api.disk.executions.get(id)!
    api.disk.executions.set(id, { ...row, status: 'failed', nextWakeAt: 5 })
    for (const key of api.disk.approvals.keys()) if (key.includes(id)) api.disk.approvals.delete(key)
    expect((await repair(id, 'olga')).status).toBe(403)
    expect(await repair(id)).toMatchObject({ status: 200, body: { violations: [] } })
    expect(api.disk.executions.get(id)).toEqual(row)
    expect((await api.call('GET', path(`/approvals?execution_id=${id}`))).body).toMatchObject({
      items: [{ node_id: 'gate' }],
    })
    expect((await repair('nobody')).status).toBe(404)
    expect((await api.ctx.audit.read({ limit: 50 })).at(-1)).toMatchObject({
      actor: 'root',
      action: 'execution.repaired',
      subject: id,
    })
    await api.call('POST', path(`/executions/${id}/cancel`), {})
  })

  it('[R-61] when the storage is full new runs are refused with the setting that says so, and running ones go on', async () => {
    const id = await run([{ id: 'a', task: 'noop', startWhen: `${S} && event:external.go` }])
    api.storage.use = { ...api.storage.use, level: 'full' }
    const answer = await api.call('POST', path(`/pipelines/p_${made}/executions`), {})
    expect(answer).toMatchObject({
      status: 507,
      body: { error: { code: 'storage_full', message: expect.stringContaining('PENSTOCK_MAX_DATABASE_MB') } },
    })
    // A fork is a new run, and so is what a schedule begins: that goes through the same door.
    expect((await api.call('POST', path(`/executions/${id}/fork`), { at_seq: 0 })).status).toBe(507)
    expect((await api.call('GET', path('/health'))).body).toMatchObject({ status: 'degraded' })
    await api.call('POST', path('/events'), { execution_id: id, event_type: 'external.go' })
    expect(await api.closed(id)).toMatchObject({ status: 'completed' })
    api.storage.use = { ...api.storage.use, level: 'ok' }
  })
})
