import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { betterAuth } from 'better-auth'
import type { Principal } from '@/core/engine/principal'
import { authOptions, type AuthenticationOptions } from './auth-options'

/** The owner signs in by links on the console, never by mail: the address only names the account. */
const OWNER_EMAIL = 'owner@penstock.invalid'

/** Without a limit of its own the library answers with a hundred. */
const MOST_PEOPLE = 100_000

export type Authentication = ReturnType<typeof createAuthentication>

/**
 * Who is who: sessions by cookie for people, the bootstrap token for programs, which acts as the owner. A session begins with
 * a one-time link that the console prints: its token is stored as a hash, lasts an hour and is consumed at its first use.
 */
export function createAuthentication(options: AuthenticationOptions) {
  const issued: string[] = []
  const auth = betterAuth(authOptions(options, (token) => issued.push(token)))
  const bootstrapDigest = options.bootstrapToken === null ? null : digest(options.bootstrapToken)

  let ownerId: string | null = null

  /** The owner holds every role that there is; the roles of others are stored with them. */
  const rolesOf = async (id: string, stored: string): Promise<readonly string[]> =>
    id === (await idOfOwner()) ? options.allRoles : stored.split(',').filter(Boolean)

  /** The id of the owner, which never changes. @throws Error when the migrations did not run on this database */
  async function idOfOwner(): Promise<string> {
    if (ownerId !== null) return ownerId
    const { internalAdapter } = await auth.$context
    const found = await internalAdapter.findUserByEmail(OWNER_EMAIL)
    if (!found) throw new Error('the database has no owner')
    ownerId = found.user.id
    return ownerId
  }

  return {
    /** Who asks, or null. A wrong bearer token is nobody, whatever cookie comes with it. */
    async principalOf(
      headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>,
    ): Promise<Principal | null> {
      if (headers.authorization !== undefined) {
        const token = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(headers.authorization)?.[1]
        if (
          token === undefined ||
          bootstrapDigest === null ||
          !timingSafeEqual(digest(token), bootstrapDigest)
        )
          return null
        const id = await idOfOwner()
        return { id, kind: 'user', name: 'bootstrap', roles: options.allRoles, via: 'token' }
      }
      if (!headers.cookie?.includes('penstock.')) return null
      const found = await auth.api.getSession({
        headers: new Headers({ cookie: headers.cookie }),
        query: { disableRefresh: true },
      })
      if (!found) return null
      const { id, name, roles } = found.user
      return { id, kind: 'user', name, roles: await rolesOf(id, roles), via: 'session' }
    },

    /** Everybody who has an account, with their roles. */
    async people(): Promise<Pick<Principal, 'id' | 'name' | 'roles'>[]> {
      const { adapter } = await auth.$context
      const users = await adapter.findMany<{ id: string; name: string; roles: string }>({
        model: 'user',
        limit: MOST_PEOPLE,
      })
      return Promise.all(
        users.map(async ({ id, name, roles }) => ({ id, name, roles: await rolesOf(id, roles) })),
      )
    },

    /** Makes a one-time sign-in token for the owner; it is good for an hour. */
    async issueSignInToken(): Promise<string> {
      await auth.api.signInMagicLink({
        body: { email: OWNER_EMAIL },
        headers: new Headers(),
      })
      const token = issued.pop()
      if (token === undefined) throw new Error('no sign-in token was made')
      return token
    },

    /** Consumes a one-time token and begins a session. Answers the cookies to set, or null for a token that is not good (any more). */
    async redeem(token: string): Promise<readonly string[] | null> {
      if (!/^[A-Za-z0-9_-]{20,100}$/.test(token)) return null
      const response = await auth.api.magicLinkVerify({
        query: { token },
        headers: new Headers(),
        asResponse: true,
      })
      const cookies = response.headers.getSetCookie()
      return response.status === 200 && cookies.length > 0 ? cookies : null
    },

    /** Ends the session of these headers. Answers the cookies that take its cookie back. */
    async signOut(headers: Pick<IncomingHttpHeaders, 'cookie'>): Promise<readonly string[]> {
      const response = await auth.api.signOut({
        headers: new Headers({ cookie: headers.cookie ?? '' }),
        asResponse: true,
      })
      return response.headers.getSetCookie()
    },
  }
}

/** Equal length for the comparison in constant time. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
