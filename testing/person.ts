import type { Principal } from '@/core/engine/principal'

/** Somebody in a browser. The id is made of the name, so that a test can say either. */
export const person = (name: string, roles: readonly string[] = []): Principal => ({
  id: `usr_${name}`,
  kind: 'user',
  name,
  roles,
  via: 'session',
})
