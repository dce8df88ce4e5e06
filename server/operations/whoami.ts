import { z } from 'zod'
import { operation } from './operation'
import { holds, INSTALLATION, type Right } from './rights'

const rights = ['read', 'decide', 'operate', 'edit', 'administer'] as const satisfies readonly Right[]

/** Who the door takes the caller for, and what they may do. */
export const whoami = operation({
  kind: 'query',
  summary: 'Get who the caller is and what they may do',
  right: 'know_self',
  rest: { method: 'GET', path: '/whoami' },
  request: z.strictObject({}),
  answer: z.strictObject({
    id: z.string(),
    kind: z.enum(['user', 'token', 'system']),
    name: z.string(),
    roles: z.array(z.string()),
    via: z.enum(['session', 'token', 'system']),
    rights: z.array(z.enum(rights)),
  }),
  example: {
    request: {},
    answer: {
      id: 'usr_01k0',
      kind: 'user',
      name: 'ada',
      roles: ['operator'],
      via: 'token',
      rights: ['read', 'decide', 'operate'],
    },
  },
  run: async (_ctx, caller) => ({
    id: caller.id,
    kind: caller.kind,
    name: caller.name,
    roles: caller.roles,
    via: caller.via,
    rights: rights.filter((right) => holds(caller, right, INSTALLATION)),
  }),
})
