import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { Principal } from '@/core/engine/principal'
import type { OperationContext } from '@/server/operations/context'
import { parseRequest, type Operation } from '@/server/operations/operation'
import type { Right } from '@/server/operations/rights'
import { bodyLimits } from '@/server/transports/body'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'

/** How a query parameter is written: lists are separated by commas. */
export type QueryField = 'text' | 'integer' | 'boolean' | 'list'

/** One request on its way through a route that answers by itself (streams, files). */
export type Exchange = {
  readonly ctx: OperationContext
  readonly caller: Principal
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path and query fields, not yet checked. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** A row of the router's table. There is no row without a right: default deny [SECURITY]. */
export type Route = {
  readonly method: Method
  /** `/executions/:execution_id/…`; a parameter takes exactly one segment. */
  readonly path: string
  readonly summary: string
  readonly right: Right
  readonly schema: z.ZodObject
  readonly query: Readonly<Record<string, QueryField>>
  /** none: a body is not read. fields: a JSON object. definition: a definition as JSON or YAML. */
  readonly body: 'none' | 'fields' | 'definition'
  /** Most bytes of a body of fields. */
  readonly bodyLimit: number
  /** Takes an `Idempotency-Key` header. */
  readonly keyed: boolean
  /** Takes `If-Match` with a revision or version. */
  readonly ifMatch: boolean
  /** Fields that the body may name although a header gives them as well. */
  readonly bodyAlso: readonly string[]
  readonly status: number
  /** The work ends when the caller goes away. */
  readonly endsWithCaller: boolean
  readonly answer:
    | {
        readonly kind: 'json'
        readonly run: (
          ctx: OperationContext,
          caller: Principal,
          fields: unknown,
          signal?: AbortSignal,
        ) => Promise<unknown>
      }
    /** The same, and its `yaml` where the caller prefers YAML. */
    | {
        readonly kind: 'document'
        readonly run: (
          ctx: OperationContext,
          caller: Principal,
          fields: unknown,
        ) => Promise<{ readonly yaml: string }>
      }
    | { readonly kind: 'exchange'; readonly run: (exchange: Exchange) => Promise<void> }
}

type Options = Partial<
  Pick<Route, 'query' | 'body' | 'bodyLimit' | 'keyed' | 'ifMatch' | 'bodyAlso' | 'status' | 'endsWithCaller'>
>

const defaults = {
  query: {},
  body: 'none',
  bodyLimit: bodyLimits.fields,
  keyed: false,
  ifMatch: false,
  bodyAlso: [],
  status: 200,
  endsWithCaller: false,
} as const

/** A row that calls an operation and answers with its result as JSON. */
export function route<Request extends z.ZodObject, Answer>(
  method: Method,
  path: string,
  summary: string,
  operation: Operation<Request, Answer>,
  options: Options = {},
): Route {
  return {
    ...defaults,
    ...options,
    method,
    path,
    summary,
    right: operation.right,
    schema: operation.request,
    answer: {
      kind: 'json',
      run: (ctx, caller, fields, signal) =>
        operation(ctx, caller, parseRequest(operation.request, fields), signal),
    },
  }
}

/** A row whose answer can also be asked for as YAML. */
export function documentRoute<Request extends z.ZodObject, Answer extends { readonly yaml: string }>(
  method: Method,
  path: string,
  summary: string,
  operation: Operation<Request, Answer>,
  options: Options = {},
): Route {
  const base = route(method, path, summary, operation, options)
  return {
    ...base,
    answer: {
      kind: 'document',
      run: (ctx, caller, fields) => operation(ctx, caller, parseRequest(operation.request, fields)),
    },
  }
}

/** A row that writes its own answer (a stream, a file). It names the right itself. */
export function exchangeRoute(
  method: Method,
  path: string,
  summary: string,
  declaration: { readonly right: Right; readonly schema: z.ZodObject; readonly query?: Route['query'] },
  run: (exchange: Exchange) => Promise<void>,
): Route {
  return { ...defaults, query: {}, ...declaration, method, path, summary, answer: { kind: 'exchange', run } }
}
