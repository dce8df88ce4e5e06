import type { Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { checkedCall, type Answer } from './checked-call'
import { eventsIn } from './event-stream'
import type { ServerProcess } from './server-process'

export type RestAnswer = Pick<Answer, 'status' | 'body'>

/** The public REST contract, as a script of a user would call it. `identity`: the headers that say who calls; else the token. */
export function restClient(
  { origin, token }: Pick<ServerProcess, 'origin' | 'token'>,
  identity: Readonly<Record<string, string>> = { authorization: `Bearer ${token}` },
) {
  const callPath = checkedCall(origin, identity)
  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RestAnswer> => callPath(method, `/api/v1${path}`, body, headers)

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
        for await (const event of eventsIn(response.body)) {
          events.push(event)
          if (seen(event)) break
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
