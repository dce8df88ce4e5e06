import { randomBytes } from 'node:crypto'
import type { BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { magicLink } from 'better-auth/plugins'
import { handleFault } from './handle'

export type AuthenticationOptions = {
  /** Where people, sessions and one-time tokens are stored: an adapter of the library. The owner is in it [migration 0009]. */
  readonly database: NonNullable<BetterAuthOptions['database']>
  /** Signs cookies. At least 32 characters. */
  readonly secret: string
  /** The address that browsers use; https makes the cookie secure. */
  readonly publicUrl: URL
  /** Accepted as `Authorization: Bearer`, acts as the owner; null: no such token. */
  readonly bootstrapToken: string | null
  /** Every role that there is: the owner holds them all. */
  readonly allRoles: readonly string[]
  /** What the library has to say. */
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void
}

const linkSeconds = 3_600
const sessionSeconds = 30 * 24 * 3_600

/**
 * How the library keeps people and sessions. A new user has a handle that is free to choose, an id that no handle can be, and no role
 * . `onLink` gets every one-time token that is made.
 */
export function authOptions(options: AuthenticationOptions, onLink: (token: string) => void) {
  return {
    database: options.database,
    secret: options.secret,
    baseURL: options.publicUrl.origin,
    telemetry: { enabled: false },
    // The door in front limits sign-ins; nothing of the library is reachable from outside by itself.
    rateLimit: { enabled: false },
    session: { expiresIn: sessionSeconds, disableSessionRefresh: true, cookieCache: { enabled: false } },
    user: { additionalFields: { roles: { type: 'string', input: false, defaultValue: '' } } },
    databaseHooks: {
      user: {
        create: {
          before: async ({ name }: { name: string }) => {
            const fault = handleFault(name)
            if (fault !== null) throw new APIError('BAD_REQUEST', { message: fault })
          },
        },
      },
    },
    advanced: {
      cookiePrefix: 'penstock',
      useSecureCookies: options.publicUrl.protocol === 'https:',
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { disableIpTracking: true },
      database: {
        generateId: ({ model }: { model: string }) =>
          `${model === 'user' ? 'usr_' : ''}${randomBytes(16).toString('hex')}`,
      },
    },
    logger: {
      level: 'warn',
      log: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => options.log(level, message),
    },
    plugins: [
      magicLink({
        expiresIn: linkSeconds,
        disableSignUp: true,
        storeToken: 'hashed',
        generateToken: () => randomBytes(32).toString('base64url'),
        sendMagicLink: ({ token }) => onLink(token),
      }),
    ],
  } satisfies BetterAuthOptions
}
