import type { Principal } from '@/core/engine/principal'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { OperationContext } from '@/server/operations/context'
import { isContent, type ContentName, type Registered } from '@/server/operations/registry'
import type { RestCall } from '@/server/operations/operation'
import { bodyLimits } from '@/server/transports/body'

export type Method = RestCall['method'] | 'HEAD'

/** How a query parameter is written: lists are separated by commas. */
export type QueryField = 'text' | 'integer' | 'boolean' | 'list'

/** One request on its way through a handler that answers by itself (streams, files). */
export type Exchange = {
  readonly ctx: OperationContext
  readonly caller: Principal
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Fields from path, query, headers and body, not yet checked. */
  readonly fields: Readonly<Record<string, unknown>>
}

export type Handler = (exchange: Exchange) => Promise<void>

/** Who writes the answers that no operation returns: complete by type. */
export type Handlers = Readonly<Record<ContentName | 'executions.start', Handler>>

/** How one call reads its request and which operation answers it. */
export type Route = Registered & {
  readonly rest: RestCall
  readonly method: Method
  /** `/executions/:execution_id/…`; a parameter takes exactly one segment. */
  readonly path: string
  /** Names of the parameters of the path. */
  readonly params: readonly string[]
  readonly query: Readonly<Record<string, QueryField>>
  /** none: a body is not read. fields: a JSON object. definition: a definition as JSON or YAML. */
  readonly body: 'none' | 'fields' | 'definition'
  /** Most bytes of a body of fields. */
  readonly bodyLimit: number
  /** Takes an `Idempotency-Key` header. */
  readonly keyed: boolean
  /** Takes `If-Match` with a revision or version. */
  readonly ifMatch: boolean
  /** Of success. */
  readonly status: number
}

/** The routes of a registry, in its order; operations without a REST call have none. */
export function routesOf(registered: readonly Registered[]): Route[] {
  return registered.flatMap((one) => {
    const { rest } = one.operation
    if (rest === null) return []
    const route = routeOf(one, rest)
    return rest.head === true ? [route, { ...route, method: 'HEAD' as const }] : [route]
  })
}

function routeOf(one: Registered, rest: RestCall): Route {
  const { request } = one.operation
  const names = Object.keys(request.shape)
  const params = [...rest.path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '')
  const takesBody = rest.method === 'POST' || rest.method === 'PUT'
  const inQuery = rest.method === 'GET' ? names.filter((name) => !params.includes(name)) : (rest.query ?? [])
  const keyed = names.includes('idempotency_key')
  const ifMatch = takesBody && names.includes('if_match')
  const header = [...(keyed ? ['idempotency_key'] : []), ...(ifMatch ? ['if_match'] : [])]
  const inBody = names.filter((name) => ![...params, ...inQuery, ...header].includes(name))
  const withBody = inBody.includes('yaml') ? 'definition' : 'fields'
  return {
    ...one,
    rest,
    method: rest.method,
    path: rest.path,
    params,
    query: {
      ...queryFields(request, inQuery),
      ...(rest.variants && queryFields(rest.variants.query, Object.keys(rest.variants.query.shape))),
    },
    body: takesBody && inBody.length > 0 ? withBody : 'none',
    bodyLimit: rest.largeBody === true ? bodyLimits.definition : bodyLimits.fields,
    keyed,
    ifMatch,
    status: successOf(one, rest),
  }
}

function successOf({ operation }: Registered, rest: RestCall): number {
  if (isContent(operation)) return operation.content.status
  return rest.status ?? (operation.answer instanceof z.ZodNull ? 204 : 200)
}

function queryFields(request: z.ZodObject, names: readonly string[]): Record<string, QueryField> {
  if (names.length === 0) return {}
  const schema = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' })
  return Object.fromEntries(
    names.map((name) => {
      const field = schema.properties?.[name]
      return [name, queryFieldOf(typeof field === 'object' ? field.type : undefined)]
    }),
  )
}

function queryFieldOf(type: unknown): QueryField {
  if (type === 'integer' || type === 'boolean') return type
  return type === 'array' ? 'list' : 'text'
}
