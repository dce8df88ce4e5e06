import type { Engine, Runs } from '@/server/orchestrator/contract'
import type { person } from '@/testing/person'

/** What people reach of the process that runs now. */
export type Reached = { readonly engine: Engine; readonly runs: Runs }

type Person = ReturnType<typeof person>

type Published = { readonly executionId: string; readonly eventType: string; readonly actor: Person }

/** A run that is asked for, again and again until it is acknowledged. */
export type RunRequest = { readonly key: string; readonly pipelineId: string; readonly priority: number }

/** What the world answered to somebody, and must never take back. */
export type Acknowledged = {
  /** Key of a start request → id of its execution. */
  readonly starts: Map<string, string>
  readonly events: Map<string, { readonly executionId: string; readonly seq: number; readonly type: string }>
}

/**
 * Requests that carry a key. What was not acknowledged is asked again, and so is now and then what was: the first answer
 * counts, and another one fails.
 */
export function createRequests(starter: Person) {
  const acknowledged: Acknowledged = { starts: new Map(), events: new Map() }
  const published = new Map<string, Published>()

  async function publishAgain({ engine }: Reached, key: string): Promise<void> {
    const { executionId, eventType, actor } = published.get(key)!
    const answer = await engine.submit({
      executionId,
      input: { type: 'publish_event', eventType, payload: {}, actor },
      idempotency: { scope: executionId, key, requestDigest: key },
    })
    const before = acknowledged.events.get(key)
    const first = answer.ok ? answer.entries[0] : undefined
    if (before !== undefined && first?.seq !== before.seq)
      throw new Error(`${key} was ${before.seq} of ${executionId}, and is now ${JSON.stringify(answer)}`)
    if (first !== undefined) acknowledged.events.set(key, { executionId, seq: first.seq, type: eventType })
  }

  return {
    acknowledged,

    async start({ engine }: Reached, { key, pipelineId, priority }: RunRequest): Promise<void> {
      const answer = await engine.start({
        pipelineId,
        revision: 1,
        inputs: {},
        actor: starter,
        priority,
        labels: {},
        mocks: {},
        idempotency: { scope: 'start', key, requestDigest: key },
      })
      if (!answer.ok) throw new Error(`start refused: ${answer.rejection.message}`)
      const before = acknowledged.starts.get(key)
      if (before !== undefined && before !== answer.executionId)
        throw new Error(`${key} started twice: ${before}, ${answer.executionId}`)
      acknowledged.starts.set(key, answer.executionId)
    },

    publish(at: Reached, request: Published): Promise<void> {
      const key = `event-${published.size}`
      published.set(key, request)
      return publishAgain(at, key)
    },

    publishAgain,

    /** Keys of all that was published, acknowledged or not. */
    published: (): readonly string[] => [...published.keys()],
  }
}
