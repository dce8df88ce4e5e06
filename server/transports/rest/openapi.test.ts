import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { isContent, registered } from '@/server/operations/registry'
import { openApi } from './openapi'
import { restRoutes } from './routes'

type Response = { content?: Record<string, { schema?: unknown }> }
type Operation = {
  operationId: string
  tags: string[]
  'x-rights': string[]
  parameters: { name: string }[]
  responses: Record<string, Response>
}
const document = openApi(restRoutes) as {
  openapi: string
  info: object
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}
const described = Object.entries(document.paths).flatMap(([path, calls]) =>
  Object.entries(calls).map(([method, operation]) => ({ path, method, operation })),
)

async function problemsOf(source: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: JSON.stringify(source), config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

describe('the OpenAPI document', () => {
  it('passes a published linter without a warning', { timeout: 60_000 }, async () => {
    expect(await problemsOf(document)).toEqual([])
    const { openapi, info, paths, components } = document
    expect(await problemsOf({ openapi, info, paths, components })).not.toEqual([])
  })

  it('describes every call of the registry, and the hooks', () => {
    expect(described.map(({ path, method }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
      [
        ...restRoutes.map(({ method, path }) => `${method} /api/v1${path.replace(/:([a-z_]+)/g, '{$1}')}`),
        'POST /hooks/{pipeline_id}/{trigger_id}',
      ].toSorted(),
    )
    const events = document.paths['/api/v1/executions/{execution_id}/events']?.['get']
    expect(events?.parameters.map(({ name }) => name)).toContain('event_types')
    expect(events).toMatchObject({ operationId: 'executions.events', tags: ['executions'] })
  })

  it('gives every success but 204 and HEAD a schema, and every refusal its codes', () => {
    const bare: string[] = []
    for (const { path, method, operation } of described) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (status === '204' || (method === 'head' && status.startsWith('2'))) continue
        const schemas = Object.values(content).map(({ schema }) => schema)
        if (schemas.length === 0 || schemas.includes(undefined)) bare.push(`${status} ${method} ${path}`)
      }
      expect(Object.keys(operation.responses)).toContain('401')
    }
    expect(bare).toEqual([])
  })

  it('gives examples that fit: requests by what is checked, answers by what is declared', () => {
    for (const { name, operation } of registered) {
      if (isContent(operation)) {
        const { schema, example } = operation.content
        expect(schema.safeParse(example), name).toMatchObject({ success: true })
        continue
      }
      expect(operation.request.safeParse(operation.example.request), name).toMatchObject({ success: true })
      expect(operation.answer.safeParse(operation.example.answer), name).toMatchObject({ success: true })
    }
  })
})
