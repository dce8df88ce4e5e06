/** Kinds of the error of a node. Persisted words: chosen once, never renamed. */
export const errorKinds = [
  'task_failed',
  'timeout',
  'cancelled',
  'lost',
  'expression_error',
  'variable_not_found',
  'invalid_input',
  'egress_refused',
  'output_too_large',
  'rejected',
  'stale_attempt',
  'publish_fence',
  'verify_failed',
  'rollback_incomplete',
  'child_failed',
  'breaker_open',
  'internal',
] as const

export type ErrorKind = (typeof errorKinds)[number]
