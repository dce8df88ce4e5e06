import { systemPrincipal } from '@/core/engine/principal'
import { readTraceparent } from '@/core/engine/trace'
import { renderTemplate } from '@/core/pipeline/expression/template'
import { beginRun, inputsFor, type Begun } from './begin-run'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { digestOf } from './idempotency'
import { idempotencyField } from './request-fields'
import type { HookCaller } from './recognise-hook'

/** What a call to a hook says, once its caller is known. */
export type HookMessage = {
  /** Parsed JSON; `{}` when there was no body. */
  readonly body: unknown
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly query: ReadonlyMap<string, string>
  /** `Idempotency-Key`, for proofs that do not name the call themselves. */
  readonly idempotencyKey: string | undefined
}

/** Headers that prove something stay at the door. */
const kept = /^(?:authorization|proxy-authorization|cookie|webhook-signature|x-hub-signature(?:-256)?)$/

/**
 * Starts a run of the pipeline with what the trigger makes of the message; the actor is `hook:{trigger}`. The same call again (by
 * `webhook-id`, or `Idempotency-Key`) gets the first answer.
 * @throws DomainError `invalid_inputs`, `idempotency_conflict`, `too_many_running`, `invalid_request` for a key that is none
 */
export function runHook(
  ctx: OperationContext,
  { pipeline, trigger, key }: HookCaller,
  message: HookMessage,
): Promise<Begun> {
  const pipelineId = pipeline.definition.id
  const named = key ?? checkedKey(message.idempotencyKey)
  const { body, query } = message
  const idempotency =
    named === null
      ? null
      : {
          scope: `hook:${pipelineId}/${trigger.id}`,
          key: named,
          requestDigest: digestOf(ctx, { body, query: [...query] }),
        }
  const traceParent = readTraceparent(message.headers.traceparent)
  return beginRun(ctx, idempotency, async () => ({
    ...(traceParent === null ? {} : { traceParent }),
    pipelineId,
    revision: pipeline.revision,
    inputs: inputsFor(pipeline, valuesOf(trigger, message)),
    actor: systemPrincipal(`hook:${pipelineId}/${trigger.id}`, `hook:${trigger.id}`),
    priority: pipeline.priority,
    labels: pipeline.definition.labels ?? {},
    mocks: {},
  }))
}

function checkedKey(key: string | undefined): string | null {
  const parsed = idempotencyField.safeParse(key)
  if (parsed.success) return parsed.data ?? null
  throw new DomainError('invalid_request', 'An idempotency key has 1 to 200 visible ASCII characters.')
}

function valuesOf(trigger: HookCaller['trigger'], { body, headers, query }: HookMessage): unknown {
  const given = renderTemplate(trigger.inputs, {
    lookup(name) {
      const dot = name.indexOf('.')
      const [from, field] = [name.slice(0, dot), name.slice(dot + 1)]
      if (from === 'query') return query.has(field) ? { value: query.get(field) } : undefined
      const known = from === 'headers' && !kept.test(field) && Object.hasOwn(headers, field)
      return known ? { value: headers[field] } : undefined
    },
    names: () => [...query.keys()].map((name) => `query.${name}`),
    locals: { body },
  })
  if (given.ok) return given.value
  const message = `The message does not have what the trigger reads: ${given.error.message}`
  throw new DomainError('invalid_inputs', message, [
    { path: ['inputs', ...given.path], code: given.error.kind, message: given.error.message },
  ])
}
