/** How a principal reached the server. A session is bound to a browser; `system`: the server acts by itself. */
export type Via = 'session' | 'token' | 'system'

/**
 * Who acts. A token of a person has the id of that person. Roles are resolved at the door; the engine only compares them with
 * what the definition lists.
 */
export type Principal = {
  /** `usr_…`, `tok_…` or `sys_…`. It never changes, and no name can be equal to it: names have no `_`. */
  readonly id: string
  readonly kind: 'user' | 'token' | 'system'
  /** The handle, as people see it. */
  readonly name: string
  readonly roles: readonly string[]
  readonly via: Via
}

/** Who did something, as it is recorded. Journals of earlier versions hold names only: their `id` is null. */
export type Identity = { readonly id: string | null; readonly name: string }

/** What is recorded of a principal. */
export const identityOf = ({ id, name }: Identity): Identity => ({ id, name })

/** The server itself: whatever it does for no person holds no role. `key` is what never changes of it. */
export const systemPrincipal = (key: string, name: string): Principal => ({
  id: `sys_${key}`,
  kind: 'system',
  name,
  roles: [],
  via: 'system',
})

/** For whom the engine cancels, pauses and resumes on its own. */
export const ENGINE: Principal = systemPrincipal('engine', 'engine')

/**
 * Whether what was recorded is of this principal: by id. A record of an earlier version has only a name, which is compared
 * with the name (the owner has two), so that nobody has a second voice after an update.
 */
export function isSame(recorded: Identity, by: Identity): boolean {
  return recorded.id === null ? handlesOf(by.name).includes(recorded.name) : recorded.id === by.id
}

/** The two reserved handles of the owner: `owner` in a browser, `bootstrap` with the token of the first boot. */
const OWNER_NAMES: readonly string[] = ['owner', 'bootstrap']

/** The handles by which a list may name the principal with this one. */
export function handlesOf(name: string): readonly string[] {
  return OWNER_NAMES.includes(name) ? OWNER_NAMES : [name]
}
