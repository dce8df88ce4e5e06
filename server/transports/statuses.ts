import type { DomainErrorCode } from '@/server/operations/domain-error'

/** HTTP and tRPC names of every refusal: total by type, so a new code cannot leave a transport without an answer. */
export const statuses: Readonly<Record<DomainErrorCode, { readonly http: number; readonly trpc: TrpcCode }>> =
  {
    already_decided: { http: 409, trpc: 'CONFLICT' },
    already_exists: { http: 409, trpc: 'CONFLICT' },
    execution_finished: { http: 409, trpc: 'CONFLICT' },
    execution_open: { http: 409, trpc: 'CONFLICT' },
    forbidden: { http: 403, trpc: 'FORBIDDEN' },
    idempotency_conflict: { http: 409, trpc: 'CONFLICT' },
    internal: { http: 500, trpc: 'INTERNAL_SERVER_ERROR' },
    invalid_cursor: { http: 400, trpc: 'BAD_REQUEST' },
    invalid_definition: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    invalid_event_type: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    invalid_form: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    invalid_inputs: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    invalid_request: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    limit_reached: { http: 409, trpc: 'CONFLICT' },
    malformed: { http: 400, trpc: 'BAD_REQUEST' },
    method_not_allowed: { http: 405, trpc: 'METHOD_NOT_SUPPORTED' },
    invalid_outputs: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    not_completable: { http: 409, trpc: 'CONFLICT' },
    not_an_approver: { http: 403, trpc: 'FORBIDDEN' },
    not_found: { http: 404, trpc: 'NOT_FOUND' },
    not_queued: { http: 409, trpc: 'CONFLICT' },
    not_waiting: { http: 409, trpc: 'CONFLICT' },
    nothing_to_roll_back: { http: 409, trpc: 'CONFLICT' },
    nothing_to_rerun: { http: 409, trpc: 'CONFLICT' },
    payload_too_large: { http: 413, trpc: 'PAYLOAD_TOO_LARGE' },
    pipeline_running: { http: 409, trpc: 'CONFLICT' },
    precondition_required: { http: 428, trpc: 'PRECONDITION_REQUIRED' },
    range_not_satisfiable: { http: 416, trpc: 'BAD_REQUEST' },
    rate_limited: { http: 429, trpc: 'TOO_MANY_REQUESTS' },
    rolling_back: { http: 409, trpc: 'CONFLICT' },
    set_apart: { http: 409, trpc: 'CONFLICT' },
    stale_attempt: { http: 409, trpc: 'CONFLICT' },
    stale_draft: { http: 409, trpc: 'CONFLICT' },
    stale_revision: { http: 409, trpc: 'CONFLICT' },
    storage_full: { http: 507, trpc: 'SERVICE_UNAVAILABLE' },
    too_many_running: { http: 409, trpc: 'CONFLICT' },
    parent_paused: { http: 409, trpc: 'CONFLICT' },
    too_large: { http: 413, trpc: 'PAYLOAD_TOO_LARGE' },
    unauthenticated: { http: 401, trpc: 'UNAUTHORIZED' },
    unavailable: { http: 503, trpc: 'SERVICE_UNAVAILABLE' },
    unknown_node: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    unknown_phase: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    unknown_seq: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    unknown_mock: { http: 422, trpc: 'UNPROCESSABLE_CONTENT' },
    unsupported_media_type: { http: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE' },
    webhook_inactive: { http: 409, trpc: 'CONFLICT' },
  }

type TrpcCode =
  | 'BAD_REQUEST'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'INTERNAL_SERVER_ERROR'
  | 'METHOD_NOT_SUPPORTED'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'PRECONDITION_REQUIRED'
  | 'SERVICE_UNAVAILABLE'
  | 'TOO_MANY_REQUESTS'
  | 'UNAUTHORIZED'
  | 'UNPROCESSABLE_CONTENT'
  | 'UNSUPPORTED_MEDIA_TYPE'
