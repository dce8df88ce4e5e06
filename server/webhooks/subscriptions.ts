import type { Entry } from '@/core/engine/event'
import { matchesSegments } from '@/core/pipeline/gate/event-pattern'
import { segmentsOf } from '@/core/pipeline/gate/event-type'
import type { PendingDelivery, WebhookRow } from '@/server/ports/webhooks'

type Subscriber = Pick<WebhookRow, 'webhookId' | 'pipelineId'>

const nothing: readonly PendingDelivery[] = []

/**
 * Who subscribes to what, in memory: events are matched on the way to their commit, without a query. Compiled anew when a
 * webhook changes, which is rare; exact types are one look-up, patterns are tried by their number of segments.
 */
export function createSubscriptions() {
  const rows = new Map<string, WebhookRow>()
  let exact = new Map<string, Subscriber[]>()
  let patterns = new Map<
    number,
    { readonly segments: readonly string[]; readonly subscriber: Subscriber }[]
  >()

  function compile(): void {
    exact = new Map()
    patterns = new Map()
    for (const row of rows.values()) {
      if (!row.active) continue
      for (const pattern of row.eventTypes) {
        const segments = segmentsOf(pattern)
        if (segments.includes('*')) listOf(patterns, segments.length).push({ segments, subscriber: row })
        else listOf(exact, pattern).push(row)
      }
    }
  }

  /** Each webhook once, however many of its patterns match. */
  function subscribersOf(pipelineId: string, type: string): ReadonlySet<string> {
    const segments = segmentsOf(type)
    const found = new Set<string>()
    const add = ({ webhookId, pipelineId: only }: Subscriber) => {
      if (only === null || only === pipelineId) found.add(webhookId)
    }
    exact.get(type)?.forEach(add)
    for (const pattern of patterns.get(segments.length) ?? [])
      if (matchesSegments(pattern.segments, segments)) add(pattern.subscriber)
    return found
  }

  return {
    set(row: WebhookRow): void {
      rows.set(row.webhookId, row)
      compile()
    },
    delete(webhookId: string): void {
      if (rows.delete(webhookId)) compile()
    },
    /** The deliveries of these events, in their order. */
    owed(pipelineId: string, entries: readonly Entry[]): readonly PendingDelivery[] {
      if (exact.size === 0 && patterns.size === 0) return nothing
      return entries.flatMap(({ event }) =>
        Array.from(subscribersOf(pipelineId, event.type), (webhookId) => ({ webhookId, event })),
      )
    },
  }
}

function listOf<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const there = lists.get(key)
  if (there !== undefined) return there
  const list: V[] = []
  lists.set(key, list)
  return list
}
