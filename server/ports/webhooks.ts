import type { Entry, Event } from '@/core/engine/event'
import type { Identity } from '@/core/engine/principal'
import type { Page } from './page'

/** Total tries, and the delay after the first failed one; each delay is four times the one before, up to the longest. */
export type RetrySchedule = {
  readonly attempts: number
  readonly backoffMs: number
  readonly maxDelayMs: number
}

/** Which events are sent to which address. Times in milliseconds since the epoch. */
export type WebhookRow = {
  readonly webhookId: string
  readonly url: string
  /** Types and patterns in which `*` stands for exactly one segment. Any of them matches. */
  readonly eventTypes: readonly string[]
  /** null: events of every pipeline. */
  readonly pipelineId: string | null
  readonly retry: RetrySchedule
  /** An inactive one gets no new deliveries; pending ones wait until it is active again. */
  readonly active: boolean
  /** Sealed; see `Webhooks.secretOf`. */
  readonly secret: string
  /** Sealed; signs as well until `previousUntil`, so that a receiver can change over. */
  readonly previousSecret: string | null
  readonly previousUntil: number | null
  readonly createdAt: number
  readonly createdBy: string
  readonly createdById: string | null
  readonly updatedAt: number
}

/** A delivery is an event on its way to one webhook. Its id on the wire is the id of the event. */
export type DeliveryKey = { readonly webhookId: string; readonly executionId: string; readonly seq: number }

export type DeliveryStatus = 'pending' | 'delivered' | 'dead'

export type DeliveryRow = DeliveryKey & {
  readonly eventType: string
  readonly status: DeliveryStatus
  /** Tries so far, since the event or the request to send it again. */
  readonly attempts: number
  /** When it is tried (again); null unless pending. */
  readonly nextAt: number | null
  /** What the receiver answered last; null when it did not. */
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly createdAt: number
  readonly deliveredAt: number | null
}

/** An event that one webhook has to receive: written by the commit of the event, or not at all. */
export type PendingDelivery = { readonly webhookId: string; readonly event: Event }

/** Webhooks and their deliveries. Deliveries are born in `Journal.commit` and go with their execution or their webhook. */
export interface WebhookStore {
  /** False, and nothing written, when there are `most` of them. */
  insert(row: WebhookRow, most: number): Promise<boolean>
  get(webhookId: string): Promise<WebhookRow | null>
  /** In order of id. */
  list(range: { limit: number; cursor?: string }): Promise<Page<WebhookRow>>
  /** False when it is not there. */
  update(row: WebhookRow): Promise<boolean>
  /** Takes its deliveries along. False when it is not there. */
  remove(webhookId: string): Promise<boolean>
  /** Newest first (createdAt, execution, seq). A malformed cursor rejects with code `invalid_cursor`. */
  deliveries(
    webhookId: string,
    range: { status?: DeliveryStatus; limit: number; cursor?: string },
  ): Promise<Page<DeliveryRow>>
  delivery(key: DeliveryKey): Promise<DeliveryRow | null>
  /** Pending ones, the first due first; also those that are not due yet. */
  pending(webhookId: string, limit: number): Promise<DeliveryRow[]>
  /** Writes the outcome of deliveries; those that were removed meanwhile stay removed. */
  record(rows: readonly DeliveryRow[]): Promise<void>
  /** Forgets at most `limit` deliveries that arrived and whose event was before `before`. Answers how many. */
  forgetDelivered(before: number, limit: number): Promise<number>
}

/** The outbox of commits: asked for deliveries before each commit, and called after it. */
export interface Outbox {
  /** The deliveries of these events, which are about to be committed. Costs nothing without subscriptions. */
  owed(pipelineId: string, entries: readonly Entry[]): readonly PendingDelivery[]
  /** These are durable: they may leave. */
  committed(owed: readonly PendingDelivery[]): void
}

export type WebhookFields = Pick<WebhookRow, 'url' | 'eventTypes' | 'pipelineId' | 'retry' | 'active'>

/** What operations ask of webhooks. Changes hold for every commit after their promise has resolved. */
export interface Webhooks {
  /** `secret` as text (`whsec_…`), or null: one is made. */
  create(
    fields: WebhookFields,
    options: { readonly secret: string | null; readonly by: Identity },
  ): Promise<WebhookRow | 'too_many'>
  /**
   * Replaces all fields. A secret that is not the present one, or `rotate`, replaces it; the one before goes on signing for a
   * day. null: there is no such webhook.
   */
  replace(
    webhookId: string,
    fields: WebhookFields,
    options: { readonly secret: string | null; readonly rotate: boolean },
  ): Promise<{ readonly row: WebhookRow; readonly rotated: boolean } | null>
  remove(webhookId: string): Promise<boolean>
  get(webhookId: string): Promise<WebhookRow | null>
  list(range: { limit: number; cursor?: string }): Promise<Page<WebhookRow>>
  /** Opens the sealed secret of a row. */
  secretOf(webhookId: string, sealed: string): string
  deliveries(
    webhookId: string,
    range: { status?: DeliveryStatus; limit: number; cursor?: string },
  ): Promise<Page<DeliveryRow>>
  /** Makes a delivery pending again, at once and with all its tries, under the same id. null: there is none. */
  redeliver(key: DeliveryKey): Promise<DeliveryRow | null>
}
