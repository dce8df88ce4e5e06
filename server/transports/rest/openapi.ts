import { z } from 'zod'
import { errorMeanings } from '@/server/operations/error-meanings'
import type { DomainErrorCode } from '@/server/operations/domain-error'
import type { RestAnswer } from '@/server/operations/operation'
import { groupDescriptions, isContent } from '@/server/operations/registry'
import { refusalAnswer } from '@/server/operations/schemas/refusal'
import { definition } from '@/server/operations/schemas/definition'
import { started } from '@/server/operations/schemas/execution'
import { statuses } from '@/server/transports/statuses'
import { JsonSchemas, type JsonSchema } from './json-schemas'
import { refusalsOf } from './refusals'
import type { Route } from './route'

/** What a success says by its status, where nothing better is known. */
const successes: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted: it is durable, and goes on.',
  204: 'Done. There is no content.',
}

/** The OpenAPI 3.1 document of a table of routes, made from the schemas that check requests and describe answers. */
export function openApi(routes: readonly Route[]): Record<string, unknown> {
  const schemas = new JsonSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  const add = (path: string, method: string, operation: unknown) =>
    (paths[path] = { ...paths[path], [method.toLowerCase()]: operation })
  // Requests first: a schema that describes both is the strict one of the request.
  const requests = routes.map((route) => requestOf(route, schemas))
  for (const [at, route] of routes.entries()) {
    const path = `/api/v1${route.path.replace(/:([a-z_]+)/g, '{$1}')}`
    add(path, route.method, { ...head(route), ...requests[at], responses: responsesOf(route, schemas) })
  }
  add('/hooks/{pipeline_id}/{trigger_id}', 'POST', hookOf(schemas))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Penstock',
      version: '1',
      description:
        'Define pipelines, start and follow executions, decide approvals. Every refusal has the shape `Error`; its code is one of those listed for its status.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    security: [{ token: [] }, { session: [] }],
    tags: [
      ...Object.entries(groupDescriptions).map(([name, description]) => ({ name, description })),
      { name: 'hooks', description: 'Calls from other systems that start executions.' },
    ],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'penstock.session_token',
          description: 'The session of a browser, from pages of this server only.',
        },
      },
      schemas: schemas.components(),
    },
  }
}

function head({ name, method, group, operation }: Route) {
  const { summary, rights, rightDescription } = operation
  const needs = rightDescription ?? (rights[0] === 'know_self' ? null : rights[0])
  return {
    operationId: method === 'HEAD' ? `${name}.exists` : name,
    tags: [group],
    summary: method === 'HEAD' ? `${summary}: whether there is one` : summary,
    ...(needs === null ? {} : { description: `Needs the right: ${needs}.` }),
    'x-rights': rights,
  }
}

function requestOf(route: Route, schemas: JsonSchemas) {
  const { operation, params, query, rest } = route
  const { properties = {}, required = [] } = fieldsOf(schemas.request(operation.request))
  const extra = rest.variants ? fieldsOf(schemas.request(rest.variants.query)).properties : {}
  const fields: Readonly<Record<string, JsonSchema>> = { ...properties, ...extra }
  const example: Readonly<Record<string, unknown>> = isContent(operation)
    ? {}
    : { ...operation.example.request }
  const exampleOf = (name: string) => (name in example ? { example: example[name] } : {})
  const parameters = [
    ...params.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: fields[name] ?? { type: 'string' },
      ...exampleOf(name),
    })),
    ...Object.entries(query).map(([name, kind]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema: fields[name] ?? { type: 'string' },
      ...(kind === 'list' ? { style: 'form', explode: false } : {}),
      ...exampleOf(name),
    })),
    ...headersOf(route),
  ]
  const elsewhere = new Set([
    ...params,
    ...Object.keys(query),
    ...(route.ifMatch ? ['if_match'] : []),
    ...(route.keyed && rest.keyInBody !== true ? ['idempotency_key'] : []),
  ])
  const pick = <T>(from: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => !elsewhere.has(name)))
  return {
    parameters,
    ...(route.body === 'definition' ? definitionBody(schemas, example['definition']) : {}),
    ...(route.body === 'fields'
      ? fieldsBody(
          pick(properties),
          required.filter((name) => !elsewhere.has(name)),
          pick(example),
        )
      : {}),
  }
}

function headersOf({ keyed, ifMatch }: Route) {
  return [
    ...(keyed
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'The same key and request again get the first answer.',
            schema: { type: 'string', minLength: 1, maxLength: 200 },
          },
        ]
      : []),
    ...(ifMatch
      ? [
          {
            name: 'If-Match',
            in: 'header',
            required: true,
            description: 'The revision or version that you changed.',
            schema: { type: 'string' },
            example: '3',
          },
        ]
      : []),
  ]
}

function definitionBody(schemas: JsonSchemas, example: unknown) {
  return {
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: schemas.request(definition), example },
        'application/yaml': { schema: { type: 'string', description: 'The same as YAML.' } },
      },
    },
  }
}

function fieldsBody(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  example: object,
) {
  const schema = { type: 'object', properties, required, additionalProperties: false }
  return {
    requestBody: { required: required.length > 0, content: { 'application/json': { schema, example } } },
  }
}

function responsesOf(route: Route, schemas: JsonSchemas): Record<string, unknown> {
  const responses: Record<string, { description: string; content?: Record<string, unknown> }> = {}
  for (const { status, type, schema, description, example } of answersOf(route)) {
    const before = responses[status]
    const described =
      before === undefined || before.description === description
        ? description
        : `${before.description} ${description}`
    const media = { schema: schemas.answer(schema), ...(example === undefined ? {} : { example }) }
    responses[status] = { description: described, content: { ...before?.content, [type]: media } }
  }
  if (Object.keys(responses).length === 0)
    responses[route.status] = { description: successes[route.status] ?? 'Success.' }
  return { ...responses, ...refusedBy(refusalsOf(route), schemas) }
}

function answersOf({
  operation,
  method,
  status,
  rest,
}: Route): (RestAnswer & { readonly example?: unknown })[] {
  if (method === 'HEAD' || status === 204) return []
  if (isContent(operation)) return [operation.content]
  const { schema, example } = { schema: operation.answer, example: operation.example.answer }
  const description = successes[status] ?? 'Success.'
  return [
    { status, type: 'application/json', schema, description, example },
    ...(rest.yaml === true ? [{ status, type: 'application/yaml', schema: z.string(), description }] : []),
    ...(rest.variants?.answers ?? []),
  ]
}

/** One response a status, with the codes that it may carry. */
function refusedBy(codes: ReadonlySet<DomainErrorCode>, schemas: JsonSchemas): Record<string, unknown> {
  const byStatus = new Map<number, DomainErrorCode[]>()
  for (const code of [...codes].toSorted()) {
    const { http } = statuses[code]
    byStatus.set(http, [...(byStatus.get(http) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      status,
      {
        description: those.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join(' '),
        content: {
          'application/json': {
            schema: schemas.answer(refusalAnswer),
            examples: Object.fromEntries(
              those.map((code) => [
                code,
                { value: { error: { code, message: errorMeanings[code], issues: [] } } },
              ]),
            ),
          },
        },
      },
    ]),
  )
}

/** The door of webhook triggers, which is no operation of the registry: it has no right, and a proof of its own. */
function hookOf(schemas: JsonSchemas) {
  const accepted = { execution_id: '01JDW3Q8', status: 'running' }
  const codes = [
    'idempotency_conflict',
    'internal',
    'invalid_inputs',
    'invalid_request',
    'malformed',
    'rate_limited',
    'storage_full',
    'too_large',
    'too_many_running',
    'unauthenticated',
    'unsupported_media_type',
  ] as const
  return {
    operationId: 'hooks.start',
    tags: ['hooks'],
    summary: 'Start an execution by a webhook trigger',
    description:
      'Proves knowledge of the secret of the trigger: as a bearer token, by the headers of Standard Webhooks, or by X-Hub-Signature-256.',
    security: [],
    parameters: ['pipeline_id', 'trigger_id'].map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    requestBody: {
      content: {
        'application/json': { schema: { description: 'Any JSON: the trigger maps it to inputs.' } },
      },
    },
    responses: {
      202: {
        description: successes[202],
        content: { 'application/json': { schema: schemas.answer(started), example: accepted } },
      },
      ...refusedBy(new Set(codes), schemas),
    },
  }
}

function fieldsOf(schema: JsonSchema): {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
} {
  return schema
}
