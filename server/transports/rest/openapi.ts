import { z } from 'zod'
import { statuses } from '@/server/transports/statuses'
import type { Route } from './route'

const pathSchema = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'issues'],
      properties: {
        code: { type: 'string', enum: Object.keys(statuses).toSorted() },
        message: { type: 'string' },
        issues: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'code', 'message'],
            properties: {
              path: pathSchema,
              code: { type: 'string' },
              message: { type: 'string' },
              hint: { type: 'string' },
              severity: { type: 'string', enum: ['error', 'warning', 'info'] },
              nodes: { type: 'array', items: { type: 'string' }, description: 'The nodes of a cycle.' },
              counter_example: {
                type: 'array',
                description: 'How nodes end in a run that shows it.',
                items: {
                  type: 'object',
                  required: ['node', 'outcome'],
                  properties: { node: { type: 'string' }, outcome: { type: 'string' } },
                },
              },
              fix: {
                type: 'object',
                description: 'The value at a place of the definition that mends it.',
                required: ['path', 'value'],
                properties: { path: pathSchema, value: { type: 'string' } },
              },
            },
          },
        },
      },
    },
  },
}

const refused = {
  description: 'refused',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

/** The door of webhook triggers, which is no route of the table: it has no right, and a proof of its own. */
const hook = {
  summary: 'Start an execution by a webhook trigger',
  description:
    'Proves to know the secret of the trigger: as a bearer token, by the headers of Standard Webhooks, or by X-Hub-Signature-256.',
  security: [],
  parameters: ['pipeline_id', 'trigger_id'].map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  requestBody: { content: { 'application/json': { schema: {} } } },
  responses: { '202': { description: 'done' }, default: refused },
}

type JsonSchema = Record<string, unknown> & { properties?: Record<string, unknown>; required?: string[] }

/** The OpenAPI 3.1 document of a table of routes, made from the schemas that check the requests. */
export function openApi(routes: readonly Route[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = `/api/v1${route.path.replace(/:([a-z_]+)/g, '{$1}')}`
    const operations = (paths[path] ??= {})
    operations[route.method.toLowerCase()] = describe(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Penstock',
      version: '1',
      description: 'Define pipelines, run them, watch their events and open their gates.',
    },
    security: [{ token: [] }],
    paths: { ...paths, '/hooks/{pipeline_id}/{trigger_id}': { post: hook } },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema },
    },
  }
}

/** A JSON value of any shape refers to itself; beside the one document that declares it `{}` says the same. */
function anyJson(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(anyJson)
  if (typeof schema !== 'object' || schema === null) return schema
  if ('$ref' in schema) return {}
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== '$defs')
      .map(([key, value]) => [key, anyJson(value)]),
  )
}

function describe(route: Route): Record<string, unknown> {
  const schema = anyJson(z.toJSONSchema(route.schema, { io: 'input', unrepresentable: 'any' })) as JsonSchema
  const fields = new Map(Object.entries(schema.properties ?? {}))
  const required = new Set(schema.required ?? [])
  const inPath = [...route.path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '')
  const parameters: Record<string, unknown>[] = [
    ...inPath.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: fields.get(name) ?? { type: 'string' },
    })),
    ...Object.entries(route.query).map(([name, kind]) => ({
      name,
      in: 'query',
      schema: fields.get(name) ?? { type: 'string' },
      ...(kind === 'list' ? { style: 'form', explode: false } : {}),
    })),
  ]
  if (route.keyed)
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      schema: { type: 'string', minLength: 1, maxLength: 200 },
    })
  if (route.ifMatch)
    parameters.push({ name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } })
  const elsewhere = new Set([
    ...inPath,
    ...Object.keys(route.query),
    'if_match',
    ...(route.bodyAlso.includes('idempotency_key') ? [] : ['idempotency_key']),
  ])
  const rest = [...fields.keys()].filter((name) => !elsewhere.has(name))
  return {
    summary: route.summary,
    'x-right': route.right,
    parameters,
    ...(route.body === 'none' ? {} : { requestBody: requestBody(route, rest, fields, required) }),
    responses: {
      [String(route.status)]: { description: 'done' },
      default: refused,
    },
  }
}

function requestBody(
  route: Route,
  names: readonly string[],
  fields: ReadonlyMap<string, unknown>,
  required: ReadonlySet<string>,
) {
  if (route.body === 'definition') {
    return {
      required: true,
      content: {
        'application/json': { schema: { type: 'object', description: 'A pipeline definition.' } },
        'application/yaml': { schema: { type: 'string', description: 'A pipeline definition.' } },
      },
    }
  }
  return {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: Object.fromEntries(names.map((name) => [name, fields.get(name)])),
          required: names.filter((name) => required.has(name)),
        },
      },
    },
  }
}
