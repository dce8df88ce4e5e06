import type { Actor } from '@/core/engine/input'

/**
 * Whether a list of approvers names somebody, by `user:NAME` or by `role:ROLE` that they hold. Holding every right does not make
 * an approver of anyone.
 */
export function isApprover(approvers: readonly unknown[], { name, roles }: Actor): boolean {
  return approvers.some((entry) => entry === `user:${name}` || roles.some((role) => entry === `role:${role}`))
}
