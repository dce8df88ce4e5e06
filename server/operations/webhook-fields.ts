import { z } from 'zod'
import { eventPatternFault } from '@/core/engine/view/event-pattern-fault'
import { formatDuration, parseDuration } from '@/core/pipeline/duration'
import type { DeliveryRow, WebhookFields, WebhookRow } from '@/server/ports/webhooks'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { formatInstant, formatInstantOrNull } from '@/core/engine/instant'
import { eventPatternField, idField } from './request-fields'

const SECOND = 1_000
const DAY = 86_400_000

function durationField(least: number, most: number) {
  const bounds = `write a duration from ${formatDuration(least)} to ${formatDuration(most)}, such as 30s or PT5M`
  return z
    .string()
    .max(40)
    .describe(bounds)
    .transform((text, { addIssue }) => {
      const ms = parseDuration(text)
      if (ms !== null && ms >= least && ms <= most) return ms
      addIssue({ code: 'custom', message: bounds })
      return z.NEVER
    })
}

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
