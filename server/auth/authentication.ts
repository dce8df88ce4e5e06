import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { magicLink } from 'better-auth/plugins'

/** A person as the door knows them. */
export type Person = {
  readonly name: string
  readonly roles: readonly string[]
  readonly via: 'token' | 'session'
}

export type AuthenticationOptions = {
  /** Where people, sessions and one-time tokens are kept: an adapter of the library. */
  readonly database: NonNullable<BetterAuthOptions['database']>
  /** Signs cookies. At least 32 characters. */
  readonly secret: string
  /** The address that browsers use; https makes the cookie secure. */
  readonly publicUrl: URL
  /** Accepted as `Authorization: Bearer`, acts as the person `bootstrap` with all roles; null: no such token. */
  readonly bootstrapToken: string | null
  /** The roles of the owner and of the bootstrap token. */
  readonly allRoles: readonly string[]
  /** What the library has to say. */
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void
}

/** The owner signs in by links on the console, never by mail: the address only names the account. */
const owner = { email: 'owner@penstock.invalid', name: 'owner' } as const

const linkSeconds = 3_600
const sessionSeconds = 30 * 24 * 3_600

export type Authentication = ReturnType<typeof createAuthentication>

/**
 * Who is who: sessions by cookie for people, the bootstrap token for programs. A session begins with a one-time link that
 * the console prints: its token is kept as a hash, lasts an hour and is consumed at its first use.
 */
export function createAuthentication(options: AuthenticationOptions) {
  const issued: string[] = []
  const auth = betterAuth({
    database: options.database,
    secret: options.secret,
    baseURL: options.publicUrl.origin,
    telemetry: { enabled: false },
    // The door in front limits sign-ins; nothing of the library is reachable from outside by itself.
    rateLimit: { enabled: false },
    session: { expiresIn: sessionSeconds, disableSessionRefresh: true, cookieCache: { enabled: false } },
    user: {
      additionalFields: { roles: { type: 'string', input: false, defaultValue: options.allRoles.join(',') } },
    },
    advanced: {
      cookiePrefix: 'penstock',
      useSecureCookies: options.publicUrl.protocol === 'https:',
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { disableIpTracking: true },
    },
    logger: { level: 'warn', log: (level, message) => options.log(level, message) },
    plugins: [
      magicLink({
        expiresIn: linkSeconds,
        storeToken: 'hashed',
        generateToken: () => randomBytes(32).toString('base64url'),
        sendMagicLink: ({ token }) => {
          issued.push(token)
        },
      }),
    ],
  })
  const bootstrapDigest = options.bootstrapToken === null ? null : digest(options.bootstrapToken)

  return {
    /** Who asks, or null. A wrong bearer token is nobody, whatever cookie comes with it. */
    async personOf(headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>): Promise<Person | null> {
      if (headers.authorization !== undefined) {
        const token = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(headers.authorization)?.[1]
        if (
          token === undefined ||
          bootstrapDigest === null ||
          !timingSafeEqual(digest(token), bootstrapDigest)
        )
          return null
        return { name: 'bootstrap', roles: options.allRoles, via: 'token' }
      }
      if (!headers.cookie?.includes('penstock.')) return null
      const found = await auth.api.getSession({
        headers: new Headers({ cookie: headers.cookie }),
        query: { disableRefresh: true },
      })
      if (!found) return null
      return {
        name: found.user.name,
        roles: String(found.user.roles).split(',').filter(Boolean),
        via: 'session',
      }
    },

    /** Makes a one-time sign-in token for the owner; it is good for an hour. */
    async issueSignInToken(): Promise<string> {
      await auth.api.signInMagicLink({
        body: { email: owner.email, name: owner.name },
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
