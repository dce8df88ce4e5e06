import type { Principal } from '@/core/engine/principal'
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

/** What somebody wants to act on. Roles are held for the whole installation today; a check names the resource all the same. */
export type Resource =
  | { readonly kind: 'installation' }
  | { readonly kind: 'execution' | 'pipeline' | 'webhook'; readonly id: string }

export const INSTALLATION: Resource = { kind: 'installation' }

/** The resource that the fields of a request name; the installation when they name none. */
export function resourceOf(fields: Readonly<Record<string, unknown>>): Resource {
  const { execution_id, pipeline_id, webhook_id } = fields
  if (typeof execution_id === 'string') return { kind: 'execution', id: execution_id }
  if (typeof pipeline_id === 'string') return { kind: 'pipeline', id: pipeline_id }
  return typeof webhook_id === 'string' ? { kind: 'webhook', id: webhook_id } : INSTALLATION
}

/** Whether somebody holds a right on a resource by any of their roles; words that are no role hold nothing. */
export function holds({ roles: held }: Pick<Principal, 'roles'>, right: Right, _resource: Resource): boolean {
  if (right === 'know_self') return true
  return held.some((role) => isRole(role) && rightsOf[role].includes(right))
}

/**
 * The one check of rights [DESIGN: who may do what].
 * @throws DomainError `forbidden` when the caller does not hold the right on the resource.
 */
export function demand(caller: Principal, right: Right, resource: Resource): void {
  if (holds(caller, right, resource)) return
  const to = resource.kind === 'installation' ? '' : ` to the ${resource.kind} "${resource.id}"`
  throw new DomainError('forbidden', `${caller.name} may not do this${to}: it needs the right to ${right}.`)
}

function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word)
}
