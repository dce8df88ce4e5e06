import type { DomainErrorCode } from '@/server/operations/domain-error'
import type { Route } from './route'

/** What any call may be refused with, before an operation runs. */
const always = [
  'forbidden',
  'internal',
  'invalid_request',
  'malformed',
  'rate_limited',
  'unauthenticated',
] as const

/** Every refusal that a call may answer: those of its operation, and those that follow from how it is called. */
export function refusalsOf({ operation, body, keyed, ifMatch }: Route): ReadonlySet<DomainErrorCode> {
  return new Set<DomainErrorCode>([
    ...always,
    ...operation.errors,
    ...(body === 'none' ? [] : (['too_large', 'unsupported_media_type'] as const)),
    ...(keyed ? (['idempotency_conflict'] as const) : []),
    ...(ifMatch ? (['precondition_required'] as const) : []),
    ...('cursor' in operation.request.shape ? (['invalid_cursor'] as const) : []),
    ...(operation.rest?.variants?.answers.some(({ type }) => type === 'text/event-stream')
      ? (['unavailable'] as const)
      : []),
  ])
}
