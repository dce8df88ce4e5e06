import { DomainError } from './domain-error'

/** The roles a member may hold (DESIGN: who may do what). */
export const roles = ['viewer', 'operator', 'approver', 'editor', 'admin'] as const
export type Role = (typeof roles)[number]

/**
 * What an operation may ask for. `know_self` is held by everyone who is signed in, even without a role; `decide` lets a
 * caller speak at a gate, and the engine then asks whether the gate lists them.
 */
export type Right = 'know_self' | 'read' | 'decide' | 'operate' | 'edit' | 'administer'

const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['read', 'decide'],
  operator: ['read', 'decide', 'operate'],
  approver: ['read', 'decide'],
  editor: ['read', 'decide', 'operate', 'edit'],
  admin: ['read', 'decide', 'operate', 'edit', 'administer'],
}

/** Who asks. Names and roles come from the door's own records, never from the request. */
export type Caller = {
  readonly name: string
  readonly roles: readonly string[]
  /** A session is bound to a browser: state changes through it need a matching Origin. */
  readonly via: 'token' | 'session'
}

/** Whether any of the roles holds the right; words that are no role hold nothing. */
export function holds(callerRoles: readonly string[], right: Right): boolean {
  if (right === 'know_self') return true
  return callerRoles.some((role) => isRole(role) && rightsOf[role].includes(right))
}

/** @throws DomainError `forbidden` when the caller does not hold the right. */
export function demand(caller: Caller, right: Right): void {
  if (holds(caller.roles, right)) return
  throw new DomainError('forbidden', `${caller.name} may not do this: it needs the right to ${right}.`)
}

function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word)
}
