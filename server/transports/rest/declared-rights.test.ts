import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isContent, registered } from '@/server/operations/registry'
import { holds, INSTALLATION, roles, type Right } from '@/server/operations/rights'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { person } from '@/testing/person'

const people: Record<string, readonly string[]> = {
  nobody: [],
  root: [...roles],
  ...Object.fromEntries(roles.map((role) => [role, [role]])),
}
const callers = Object.entries(people)

let api: ApiServer
/** An execution whose approval `gate` waits and that lists nobody. */
let waiting: string
beforeAll(async () => {
  api = await openApiServer({ people })
  const gate = { id: 'gate', task: 'approval', startWhen: 'event:pipeline.started' }
  const inputBindings = { message: 'Go?', approvers: ['user:somebody_else'] }
  await api.call('POST', '/api/v1/pipelines', { id: 'gated', nodes: [{ ...gate, inputBindings }] })
  const { body } = await api.call('POST', '/api/v1/pipelines/gated/executions', {})
  waiting = (body as { execution_id: string }).execution_id
})
afterAll(() => api[Symbol.asyncDispose]())

/** Runs the operation as a caller. Answers what it was refused with, or null. */
async function refusalOf(call: Promise<unknown>): Promise<string | null> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof Error && 'code' in error ? String(error.code) : null
}

/** Requests of which each demands another right than the others; the example of the operation where there is one right. */
function requestsOf(name: string, example: object): { request: object; right: Right | null }[] {
  if (name !== 'events.publish') return [{ request: example, right: null }]
  const request = (event_type: string, execution_id = waiting) => ({ execution_id, event_type })
  return [
    { request: request('external.data_ready'), right: 'operate' },
    { request: request('external.other.approved'), right: 'operate' },
    { request: request('external.data_ready', 'nowhere'), right: 'operate' },
    { request: request('external.gate.approved'), right: 'decide' },
    { request: request('external.gate.approved', 'nowhere'), right: 'decide' },
  ]
}

describe('the right that an operation declares is the one that it demands', () => {
  it.each(registered.map(({ name, operation }) => [name, operation] as const))(
    '%s',
    async (name, operation) => {
      if (isContent(operation)) {
        expect(operation.rights).toHaveLength(1)
        return
      }
      for (const { request, right } of requestsOf(name, operation.example.request)) {
        const declared = right ?? operation.rights[0]
        if (right === null) expect(operation.rights).toEqual([declared])
        else expect(operation.rights).toContain(right)
        // Whoever acts last may change what the next one finds: refusals of rights come before.
        for (const [caller, held] of callers) {
          const given = { ...person(caller, held), via: 'token' } as const
          const refused = (await refusalOf(operation.handle(api.ctx, given, request))) === 'forbidden'
          expect(refused, `${caller} ${JSON.stringify(request)}`).toBe(!holds(given, declared, INSTALLATION))
        }
      }
    },
  )

  it('is demanded in one place: no operation demands another one by itself', () => {
    const folder = fileURLToPath(new URL('../../operations/', import.meta.url))
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
    const demanding = files.filter((file) => /\bdemand\(/.test(readFileSync(folder + file, 'utf8')))
    expect(demanding.toSorted()).toEqual(['operation.ts', 'rights.ts'])
  })
})
