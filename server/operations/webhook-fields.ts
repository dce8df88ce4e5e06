import { z } from 'zod'
import { eventPatternFault } from '@/core/engine/view/event-pattern-fault'
import { formatDuration } from '@/core/pipeline/duration'
import type { DeliveryRow, WebhookFields, WebhookRow } from '@/server/ports/webhooks'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { formatInstant, formatInstantOrNull } from '@/core/engine/instant'
import { durationField, eventPatternField, idField } from './request-fields'
import { count, instantText, principalId } from './schemas/json'

const SECOND = 1_000
const DAY = 86_400_000

/** An address that may be called: whether it may be reached is decided when it is connected to. */
function isCallable(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function isSecret(text: string): boolean {
  if (!text.startsWith('whsec_')) return false
  const encoded = text.slice('whsec_'.length)
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded
}

/** A question about what happened may find nothing; a subscription that never can is a mistake. */
const subscribedPattern = eventPatternField.superRefine((pattern, { addIssue }) => {
  const fault = eventPatternFault(pattern)
  if (fault !== null) addIssue({ code: 'custom', message: fault })
})

/** What a caller says of a webhook. What is absent has its default, also when a webhook is replaced. */
export const webhookFields = {
  url: z
    .string()
    .max(2_048)
    .refine(isCallable, 'an address begins with http:// or https://, and has no user and no password in it'),
  event_types: z.array(subscribedPattern).min(1).max(50),
  pipeline_id: idField.nullable().default(null),
  secret: z.string().max(100).refine(isSecret, 'a secret is whsec_ and 24 to 64 bytes in base64').optional(),
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(20).default(10),
      backoff: durationField(SECOND, DAY).prefault('5s'),
      max_delay: durationField(SECOND, DAY).prefault('8h'),
    })
    .prefault({}),
  active: z.boolean().default(true),
}

type WebhookRequest = z.output<z.ZodObject<typeof webhookFields>>

/**
 * The request as the webhooks take it.
 * @throws DomainError `invalid_request` when the pipeline does not exist: a filter that never matches is a mistake
 */
export async function acceptWebhook(ctx: OperationContext, request: WebhookRequest): Promise<WebhookFields> {
  const { pipeline_id, retry } = request
  if (pipeline_id !== null && (await ctx.pipelines.get(pipeline_id)) === null) {
    const message = `There is no pipeline "${pipeline_id}".`
    throw new DomainError('invalid_request', message, [
      { path: ['pipeline_id'], code: 'unknown_pipeline', message },
    ])
  }
  return {
    url: request.url,
    eventTypes: [...new Set(request.event_types)],
    pipelineId: pipeline_id,
    retry: { attempts: retry.attempts, backoffMs: retry.backoff, maxDelayMs: retry.max_delay },
    active: request.active,
  }
}

/** A webhook on the wire: everything but its secret. */
export const webhook = z
  .strictObject({
    webhook_id: z.string(),
    url: z.string(),
    event_types: z.array(z.string()),
    pipeline_id: z.string().nullable().meta({ description: 'null: of every pipeline.' }),
    retry: z.strictObject({ attempts: z.int().min(1), backoff: z.string(), max_delay: z.string() }),
    active: z.boolean(),
    created_at: instantText,
    created_by: z.string(),
    // Absent in the first answer to a key that an earlier version stored.
    created_by_id: principalId.optional(),
    updated_at: instantText,
  })
  .meta({ id: 'Webhook' })

export const exampleWebhook = {
  webhook_id: '01JDW4AA',
  url: 'https://example.com/hook',
  event_types: ['pipeline.failed'],
  pipeline_id: null,
  retry: { attempts: 10, backoff: '5s', max_delay: '8h' },
  active: true,
  created_at: '2026-01-30T08:00:00.000Z',
  created_by: 'ada',
  created_by_id: 'usr_01jdw3q8',
  updated_at: '2026-01-30T08:00:00.000Z',
} as const

export function webhookView(row: WebhookRow) {
  return {
    webhook_id: row.webhookId,
    url: row.url,
    event_types: [...row.eventTypes],
    pipeline_id: row.pipelineId,
    retry: {
      attempts: row.retry.attempts,
      backoff: formatDuration(row.retry.backoffMs),
      max_delay: formatDuration(row.retry.maxDelayMs),
    },
    active: row.active,
    created_at: formatInstant(row.createdAt),
    created_by: row.createdBy,
    created_by_id: row.createdById,
    updated_at: formatInstant(row.updatedAt),
  }
}

/** A delivery on the wire. */
export const delivery = z
  .strictObject({
    delivery_id: z.string(),
    execution_id: z.string(),
    seq: z.int().min(1),
    event_type: z.string(),
    status: z.enum(['pending', 'delivered', 'dead']),
    attempts: count,
    next_at: instantText.nullable(),
    last_status: z.int().nullable().meta({ description: 'The last HTTP status of the receiver.' }),
    last_error: z.string().nullable(),
    created_at: instantText,
    delivered_at: instantText.nullable(),
  })
  .meta({ id: 'Delivery' })

export const exampleDelivery = {
  delivery_id: '01JDW3Q8.14',
  execution_id: '01JDW3Q8',
  seq: 14,
  event_type: 'pipeline.failed',
  status: 'delivered',
  attempts: 1,
  next_at: null,
  last_status: 200,
  last_error: null,
  created_at: '2026-01-31T06:00:09.120Z',
  delivered_at: '2026-01-31T06:00:09.400Z',
} as const

/** A delivery on the wire. Its id is that of the event, and the `webhook-id` that the receiver sees. */
export function deliveryView(row: DeliveryRow) {
  return {
    delivery_id: `${row.executionId}.${row.seq}`,
    execution_id: row.executionId,
    seq: row.seq,
    event_type: row.eventType,
    status: row.status,
    attempts: row.attempts,
    next_at: formatInstantOrNull(row.nextAt),
    last_status: row.lastStatus,
    last_error: row.lastError,
    created_at: formatInstant(row.createdAt),
    delivered_at: formatInstantOrNull(row.deliveredAt),
  }
}
