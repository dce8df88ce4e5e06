import type { EgressFailure } from '@/server/ports/egress'

/** Whether the way out says what went wrong, in words for people. */
export function isEgressFailure(thrown: unknown): thrown is EgressFailure {
  return thrown instanceof Error && thrown.name === 'EgressFailure'
}
