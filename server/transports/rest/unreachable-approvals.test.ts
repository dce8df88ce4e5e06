import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { approval, S } from '@/testing/definitions'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer()
})
afterAll(() => api[Symbol.asyncDispose]())

const get = async <T>(path: string) => (await api.call('GET', `/api/v1${path}`)).body as T
type Health = { status: string; violations: { node_id: string; rule: string; message: string }[] }

/** Starts a run that asks, and answers its id as soon as it waits. */
async function asks(id: string, bindings: object): Promise<string> {
  const inputBindings = { message: 'ok?', approvers: ['role:approver'], ...bindings }
  await api.call('POST', '/api/v1/pipelines', { id, nodes: [approval('ask', S, { inputBindings })] })
  const { body } = await api.call('POST', `/api/v1/pipelines/${id}/executions`, {})
  const { execution_id: run } = body as { execution_id: string }
  await expect
    .poll(async () => (await get<{ items: object[] }>(`/approvals?execution_id=${run}`)).items.length)
    .toBe(1)
  return run
}

describe('[R-51] an approval that waits for more people than there are', () => {
  it('is a problem of the server, of the run and of the inbox, until somebody ends it', async () => {
    await asks('one', {})
    expect(await get<Health>('/health')).toMatchObject({ status: 'ok', violations: [] })
    const run = await asks('two', { quorum: 2 })
    const text = 'waits for 2 approvals, but only 1 person may give them'
    expect(await get<Health>('/health')).toMatchObject({
      status: 'degraded',
      violations: [{ execution_id: run, node_id: 'ask', rule: 'unreachable_quorum' }],
    })
    expect((await get<Health>('/health')).violations[0]?.message).toContain(text)
    expect(await get(`/executions/${run}/nodes/ask/explain`)).toMatchObject({
      unreachable: text,
      summary: `ask ${text}`,
      waiting_for: { kind: 'people', text },
    })
    expect(await get(`/approvals?execution_id=${run}`)).toMatchObject({ items: [{ unreachable: text }] })

    // After the only vote the other one is still missing.
    await api.call('POST', `/api/v1/executions/${run}/nodes/ask/decision`, { decision: 'approved' })
    const left = 'waits for 1 approval, but nobody may give it'
    expect(await get(`/executions/${run}/nodes/ask/explain`)).toMatchObject({ unreachable: left })
    expect(await get(`/executions?text=${run}`)).toMatchObject({
      items: [{ waiting_for: 'a decision (1 of 2 approvals) on ask' }],
    })

    // Somebody else who may decide makes it an ordinary question.
    api.people.set('ben', ['approver'])
    expect(await get<Health>('/health')).toMatchObject({ status: 'ok', violations: [] })
    expect(await get(`/executions/${run}/nodes/ask/explain`)).toMatchObject({ unreachable: null })
    api.people.delete('ben')
  })

  it('is none where its deadline ends it, and is one where who started the run may not decide', async () => {
    await asks('timed', { quorum: 2, timeout: '1h' })
    const run = await asks('excluding', { excludeRequester: true })
    const { violations } = await get<Health>('/health')
    expect(violations.filter(({ message }) => message.includes('2 approvals, but'))).toEqual([])
    expect(violations).toContainEqual(expect.objectContaining({ execution_id: run, node_id: 'ask' }))
  })
})
