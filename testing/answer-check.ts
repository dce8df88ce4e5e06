import { isRecord } from '@/core/pipeline/json'
import { refusalAnswer } from '@/server/operations/schemas/refusal'
import { isContent, registry } from '@/server/operations/registry'
import type { AnyOperation, Content } from '@/server/operations/operation'
import { refusalsOf } from '@/server/transports/rest/refusals'
import type { Route } from '@/server/transports/rest/route'
import { Router } from '@/server/transports/rest/router'
import { restRoutes } from '@/server/transports/rest/routes'
import { statuses } from '@/server/transports/statuses'
import type { z } from 'zod'

export type SeenAnswer = {
  readonly method: string
  /** With its query, if it has one. */
  readonly path: string
  readonly status: number
  readonly contentType: string | null
  /** Parsed where it is JSON, else the text; null: there was none. */
  readonly body: unknown
}

const router = new Router(restRoutes)

/**
 * Holds an answer of the API against what its operation declares: the schema of a success, the shape and the code of a refusal.
 * Paths outside of the registry are left alone.
 * @throws Error that names the call and every difference
 */
export function checkAnswer(seen: SeenAnswer): void {
  const path = seen.path.split('?', 1)[0] ?? ''
  if (path.startsWith('/api/v1/')) checkRest(seen, path.slice('/api/v1'.length))
  else if (path.startsWith('/api/trpc/')) checkTrpc(seen, path.slice('/api/trpc/'.length))
}

function checkRest(seen: SeenAnswer, path: string): void {
  const match = router.match(seen.method, path)
  if (match.kind !== 'route') return
  const { route } = match
  if (seen.status >= 400) checkRefusal(seen, route)
  else if (seen.status === 304 || route.method === 'HEAD') return
  else checkSuccess(seen, route)
}

function checkRefusal(seen: SeenAnswer, route: Route): void {
  if (route.method === 'HEAD') return
  const parsed = refusalAnswer.safeParse(seen.body)
  if (!parsed.success) return fail(seen, `is no refusal: ${parsed.error.message}`)
  const { code } = parsed.data.error
  if (statuses[code].http !== seen.status) fail(seen, `answers ${code} with the wrong status`)
  if (!refusalsOf(route).has(code)) fail(seen, `does not declare ${code}`)
}

function checkSuccess(seen: SeenAnswer, route: Route): void {
  const { operation, rest, status } = route
  const type = seen.contentType?.split(';', 1)[0] ?? null
  const declared = [
    ...(isContent(operation)
      ? [operation.content]
      : [{ status, type: 'application/json', schema: operation.answer }]),
    ...(rest.variants?.answers ?? []),
  ]
  if (seen.status === 204) return status === 204 ? undefined : fail(seen, 'declares content')
  if (rest.yaml === true && type === 'application/yaml') return
  if (isContent(operation) && operation.content.type === '*/*') return
  const answer = declared.find((one) => one.status === seen.status && one.type === type)
  if (answer === undefined) return fail(seen, `does not declare ${type}`)
  if (type === 'application/json') holdAgainst(seen, answer.schema, seen.body)
  else for (const data of dataOf(String(seen.body))) holdAgainst(seen, answer.schema, data)
}

/** The messages of an event stream that has ended. */
function dataOf(text: string): unknown[] {
  return [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as unknown)
}

/** The calls of a batch, `a.b,c.d`, have their answers in a list; a call by itself has its own. */
function checkTrpc(seen: SeenAnswer, names: string): void {
  const groups: Readonly<Record<string, Readonly<Record<string, AnyOperation | Content>>>> = registry
  const answers: unknown[] = Array.isArray(seen.body) ? seen.body : [seen.body]
  for (const [at, name] of names.split(',').entries()) {
    const [group = '', operation = ''] = name.split('.')
    const found = groups[group]?.[operation]
    const data = dataOfCall(answers[at])
    if (found !== undefined && !isContent(found) && data !== undefined) holdAgainst(seen, found.answer, data)
  }
}

/** undefined: the call was refused. */
function dataOfCall(answer: unknown): unknown {
  const result = isRecord(answer) ? answer['result'] : undefined
  return isRecord(result) ? result['data'] : undefined
}

function holdAgainst(seen: SeenAnswer, schema: z.ZodType, value: unknown): void {
  const parsed = schema.safeParse(value)
  if (!parsed.success) fail(seen, `does not fit its schema: ${parsed.error.message}`)
}

function fail({ method, path, status, body }: SeenAnswer, what: string): never {
  throw new Error(`${method} ${path} (${status}) ${what}\n${JSON.stringify(body)?.slice(0, 2_000)}`)
}
