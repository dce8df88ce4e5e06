import type { z } from 'zod'
import type { Json, JsonObject } from '@/core/engine/event'
import { httpRequestInput } from './contract'
import type { Egress, EgressResponse } from '@/server/ports/egress'
import type { TaskRun } from '@/server/ports/runner'
import { readInput } from '@/tasks/support/read-input'
import { TaskFailure } from '@/tasks/support/task-failure'
import { wellFormed } from '@/tasks/support/well-formed'
import { isEgressFailure } from './egress-failure'
import { readBody, readExcerpt } from './read-body'

const EXCERPT_BYTES = 2048

type Input = z.output<typeof httpRequestInput>

/**
 * Sends the request through the way out and gives back `status`, `headers` and `body`. Kinds of failure: `egress_refused`,
 * `invalid_input`, `output_too_large`, and `task_failed` when the other side cannot be reached or answers with a status that
 * is not expected (detail: status, an excerpt of the body, Retry-After).
 */
export const run =
  (egress: Egress): TaskRun =>
  async (given, context) => {
    const input = readInput(httpRequestInput, given)
    const { signal } = context
    try {
      const { headers, body } = contentOf(input)
      if (!SAFE.includes(input.method) && !headers.has('idempotency-key'))
        headers.set('idempotency-key', context.idempotencyKey)
      if (context.traceparent !== undefined && !headers.has('traceparent'))
        headers.set('traceparent', context.traceparent)
      const answer = await egress.fetch({
        method: input.method,
        url: withQuery(input),
        headers,
        body,
        signal,
        followRedirects: true,
        ...(input.max_bytes === undefined ? {} : { maxBytes: input.max_bytes }),
      })
      const expected = expectedOf(input)
      if (!expected.some((status) => matches(status, answer.status))) throw await unexpected(answer, expected)
      return {
        status: answer.status,
        headers: headersOf(answer),
        body: await readBody(answer, context.workDir, input.large_numbers ?? 'refuse'),
      }
    } catch (thrown) {
      throw isEgressFailure(thrown) ? new TaskFailure(kinds[thrown.code], thrown.message) : thrown
    }
  }

/** Methods that change nothing, which need no key. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

const kinds = {
  egress_refused: 'egress_refused',
  invalid_request: 'invalid_input',
  output_too_large: 'output_too_large',
  unreachable: 'task_failed',
} as const

/** Headers by their names in lower case, and the body as bytes: text as it stands, anything else as JSON. */
function contentOf({ headers: given = {}, body }: Input): {
  headers: Map<string, string>
  body: Buffer | null
} {
  const headers = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), String(value)]))
  if (body === undefined) return { headers, body: null }
  const isText = typeof body === 'string'
  if (!headers.has('content-type'))
    headers.set('content-type', isText ? 'text/plain; charset=utf-8' : 'application/json')
  return { headers, body: Buffer.from(isText ? wellFormed(body, 'body') : JSON.stringify(body)) }
}

function withQuery({ url, query = {} }: Input): string {
  // What cannot be read is refused by the way out, in its own words.
  if (!URL.canParse(url)) return url
  wellFormed(url, 'url')
  const parsed = new URL(url)
  for (const [name, value] of Object.entries(query)) {
    parsed.searchParams.delete(name)
    for (const one of Array.isArray(value) ? value : [value])
      parsed.searchParams.append(name, wellFormed(String(one), `query.${name}`))
  }
  return parsed.href
}

/** By name; `set-cookie` is a list, also of one. */
function headersOf({ headers, setCookies }: EgressResponse): JsonObject {
  return Object.fromEntries<Json>([
    ...headers,
    ...(setCookies.length === 0 ? [] : [['set-cookie', [...setCookies]] as const]),
  ])
}

function expectedOf({ expect = '2xx' }: Input): string[] {
  return (Array.isArray(expect) ? expect : [expect]).map(String)
}

function matches(expected: string, status: number): boolean {
  return expected.endsWith('xx') ? expected[0] === String(status)[0] : expected === String(status)
}

async function unexpected(answer: EgressResponse, expected: readonly string[]): Promise<TaskFailure> {
  const { host } = new URL(answer.url)
  const retryAfter = answer.headers.get('retry-after')?.slice(0, 100)
  return new TaskFailure(
    'task_failed',
    `${host} answered ${answer.status} where ${expected.join(' or ')} is expected`,
    {
      status: answer.status,
      body: await readExcerpt(answer, EXCERPT_BYTES),
      ...(retryAfter === undefined
        ? {}
        : { retry_after: /^[0-9]{1,9}$/.test(retryAfter) ? Number(retryAfter) : retryAfter }),
    },
  )
}
