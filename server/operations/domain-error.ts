import type { Finding } from '@/core/pipeline/check/check'
import type { Issue } from '@/core/pipeline/issue'
import type { RejectionCode } from '@/core/engine/input'

/**
 * Every way in which the product refuses a request. The words are part of the wire contract: scripts compare them.
 * Each transport maps them by one total table, so a new code without a status does not compile.
 */
export type DomainErrorCode =
  | RejectionCode
  | 'already_exists'
  | 'execution_open'
  | 'forbidden'
  | 'idempotency_conflict'
  | 'internal'
  | 'invalid_cursor'
  | 'invalid_definition'
  | 'invalid_request'
  | 'limit_reached'
  | 'malformed'
  | 'method_not_allowed'
  | 'not_found'
  | 'pipeline_running'
  | 'precondition_required'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'set_apart'
  | 'stale_draft'
  | 'stale_revision'
  | 'storage_full'
  | 'too_large'
  | 'unauthenticated'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'webhook_inactive'

/** One problem at one path of the request or definition (the wire shape of `error.issues`). */
export type RequestIssue = Pick<Issue, 'path' | 'code' | 'message'> &
  Partial<Pick<Finding, 'hint' | 'severity'>>

/** A refusal that a caller can understand and act on. Recognised by `code`; anything else that is thrown is a defect. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: DomainErrorCode
  readonly issues: readonly RequestIssue[]

  /**
   * @param code what is wrong, for programs
   * @param message one sentence that a person can act on
   * @param issues every problem at once, each with its path
   * @param retryAfter seconds after which the same request may be taken
   */
  constructor(
    code: DomainErrorCode,
    message: string,
    issues: readonly RequestIssue[] = [],
    readonly retryAfter: number | null = null,
  ) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

/** True for refusals, by shape: an error from another copy of this module counts as well. */
export function isDomainError(error: unknown): error is DomainError {
  return error instanceof Error && error.name === 'DomainError' && 'code' in error && 'issues' in error
}
