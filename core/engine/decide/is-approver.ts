import { handlesOf, type Identity, type Principal } from '@/core/engine/principal'

/**
 * Whether a list of approvers names somebody, by `user:` and their id or handle, or by `role:ROLE` that they hold. Holding every right
 * does not make an approver of anyone.
 */
export function isApprover(
  approvers: readonly unknown[],
  who: Pick<Principal, 'id' | 'name' | 'roles'>,
): boolean {
  const names = [...userEntries(who), ...who.roles.map((role) => `role:${role}`)]
  return approvers.some((entry) => typeof entry === 'string' && names.includes(entry))
}

/** The entries of a list of approvers that mean this one person. */
export function userEntries({ id, name }: Identity): readonly string[] {
  const entries = handlesOf(name).map((handle) => `user:${handle}`)
  return id === null ? entries : [`user:${id}`, ...entries]
}
