import { isRecord } from '@/core/pipeline/json'

export type List = 'executions' | 'approvals' | 'slots' | 'health'

export type Listener = {
  /** The execution whose entries are wanted, or a list whose changes are. */
  readonly topic:
    | {
        readonly execution: string
        /** The last seq that the listener has: its stream begins after it. */ readonly after: () => number
      }
    | { readonly list: List }
  readonly onData: (data: unknown) => void
  /** Reads what the stream did not deliver. False when it could not be read. */
  readonly catchUp: () => Promise<boolean>
  /** The execution was removed: nothing more comes, and nothing is left to read. */
  readonly onRemoved?: () => void
}

/** Who on the page wants what of the one stream of the tab. */
export function createSubscriptions() {
  const listeners = new Set<Listener>()
  return {
    add: (listener: Listener): void => void listeners.add(listener),
    remove: (listener: Listener): void => void listeners.delete(listener),

    /** `topics`: what is wanted, without positions ('': nothing). `query`: the query string that requests it. */
    request(): { readonly topics: string; readonly query: string } {
      const executions = new Map<string, number>()
      const lists = new Set<string>()
      for (const { topic } of listeners) {
        if ('execution' in topic)
          executions.set(
            topic.execution,
            Math.min(topic.after(), executions.get(topic.execution) ?? Infinity),
          )
        else lists.add(topic.list)
      }
      const ids = [...executions.keys()].sort()
      const names = [...lists].sort().join(',')
      const query = new URLSearchParams()
      if (ids.length > 0) query.set('executions', ids.map((id) => `${id}:${executions.get(id)}`).join(','))
      if (names !== '') query.set('lists', names)
      return { topics: `${ids.join(',')} ${names}`.trim(), query: query.toString() }
    },

    /** Hands an event of the stream to those who want it. Data that is no JSON object is ignored. */
    deliver(event: string, text: string): void {
      const data = parsed(text)
      if (data === null) return
      const isRemoved = event === 'removed'
      const { execution_id: executionId } = isRemoved ? data : isRecord(data['event']) ? data['event'] : {}
      for (const { topic, onData, onRemoved } of [...listeners]) {
        if ('execution' in topic) {
          if (executionId !== topic.execution) continue
          if (isRemoved) onRemoved?.()
          else onData(data)
        } else if (event === 'lists' && data[topic.list] !== undefined) onData(data)
      }
    },

    /** Lets those catch up who have less than these seqs by execution. True when nobody had to. */
    reconcile(positions: ReadonlyMap<string, number>): boolean {
      let isComplete = true
      for (const { topic, catchUp } of listeners) {
        if (!('execution' in topic) || topic.after() >= (positions.get(topic.execution) ?? 0)) continue
        isComplete = false
        void catchUp()
      }
      return isComplete
    },

    /** Lets everybody catch up. False when somebody could not. */
    async catchUp(): Promise<boolean> {
      return (await Promise.all([...listeners].map((listener) => listener.catchUp()))).every(Boolean)
    },
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const data: unknown = JSON.parse(text)
    return isRecord(data) ? data : null
  } catch {
    return null
  }
}
