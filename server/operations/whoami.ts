import { z } from 'zod'
import { operation } from './operation'
import { holds, INSTALLATION, type Right } from './rights'

const rights = ['read', 'decide', 'operate', 'edit', 'administer'] as const satisfies readonly Right[]

/** Who the door takes the caller for, and what they may do. */
export const whoami = operation({
  right: 'know_self',
  request: z.strictObject({}),
  run: async (_ctx, caller) => ({
    id: caller.id,
    kind: caller.kind,
    name: caller.name,
    roles: caller.roles,
    via: caller.via,
    rights: rights.filter((right) => holds(caller, right, INSTALLATION)),
  }),
})
