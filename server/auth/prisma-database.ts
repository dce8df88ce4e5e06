import { prismaAdapter } from 'better-auth/adapters/prisma'
import type { BetterAuthOptions } from 'better-auth'

/**
 * The library's tables behind a Prisma client whose writes wait in the store's queue. The library is shown a client without
 * transactions: it then claims a one-time token by the count of a single delete, which is as atomic.
 */
export function prismaDatabase(client: object): NonNullable<BetterAuthOptions['database']> {
  const single = new Proxy(client, {
    get: (target, name) => (name === '$transaction' ? undefined : Reflect.get(target, name)),
  })
  return prismaAdapter(single, { provider: 'sqlite' })
}
