import type { Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { checkAnswer } from './answer-check'
import type { ServerProcess } from './server-process'

export type RestAnswer = { readonly status: number; readonly body: unknown }

/** The public REST contract, as a script of a user would call it. `identity`: the headers that say who calls; else the token. */
export function restClient(
  { origin, token }: Pick<ServerProcess, 'origin' | 'token'>,
  identity: Readonly<Record<string, string>> = { authorization: `Bearer ${token}` },
) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RestAnswer> {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        ...identity,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const parsed = text === '' ? null : (JSON.parse(text) as unknown)
    const contentType = response.headers.get('content-type')
    checkAnswer({ method, path: `/api/v1${path}`, status: response.status, contentType, body: parsed })
    return { status: response.status, body: parsed }
  }

  async function expectStatus(status: number, answer: Promise<RestAnswer>): Promise<unknown> {
    const { status: got, body } = await answer
    if (got !== status) throw new Error(`expected ${status}, got ${got}: ${JSON.stringify(body)}`)
    return body
  }

  const client = {
    call,
    define: (definition: object) => expectStatus(201, call('POST', '/pipelines', definition)),
    async start(pipelineId: string, inputs: object = {}): Promise<string> {
      const body = await expectStatus(202, call('POST', `/pipelines/${pipelineId}/executions`, { inputs }))
      return (body as { execution_id: string }).execution_id
    },
    async execution(id: string): Promise<ExecutionView> {
      return (await expectStatus(200, call('GET', `/executions/${id}`))) as ExecutionView
    },
    /** All events by seq. */
    async events(id: string): Promise<Event[]> {
      const events: Event[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const page = (await expectStatus(200, call('GET', `/executions/${id}/events?limit=250${query}`))) as {
          items: Event[]
          next_cursor: string | null
        }
        events.push(...page.items)
        cursor = page.next_cursor
      }
      return events
    },
    async artifacts(id: string): Promise<{ name: string; sha256: string }[]> {
      return (
        (await expectStatus(200, call('GET', `/executions/${id}/artifacts`))) as {
          items: { name: string; sha256: string }[]
        }
      ).items
    },
    decide: (id: string, node: string, decision: 'approved' | 'rejected') =>
      call('POST', `/executions/${id}/nodes/${node}/decision`, { decision }),

    /**
     * Follows the event stream from after `seq` until `seen` says stop, the stream ends or the server dies.
     * Answers with the events in the order in which they came.
     */
    async follow(id: string, seen: (event: Event) => boolean, after = 0): Promise<Event[]> {
      const stop = new AbortController()
      const events: Event[] = []
      try {
        const response = await fetch(`${origin}/api/v1/executions/${id}/stream`, {
          headers: {
            ...identity,
            ...(after === 0 ? {} : { 'last-event-id': String(after) }),
          },
          signal: stop.signal,
        })
        if (response.status !== 200 || response.body === null) throw new Error(`stream: ${response.status}`)
        let text = ''
        for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
          text += chunk
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const data = /^data: ?(.*)$/m.exec(text.slice(0, end))?.[1]
            text = text.slice(end + 2)
            if (data === undefined) continue
            const event = JSON.parse(data) as Event
            events.push(event)
            if (seen(event)) return events
          }
        }
      } finally {
        stop.abort()
      }
      return events
    },
  }
  return client
}

export type RestClient = ReturnType<typeof restClient>
