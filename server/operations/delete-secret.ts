import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { secretNameField } from './request-fields'

/** Removes a secret. What refers to it is refused from then on: nothing falls back to no secret. */
export const deleteSecret = operation({
  right: 'administer',
  request: z.strictObject({ name: secretNameField }),
  run: async (ctx, _caller, { name }) => {
    if (!(await ctx.secrets.remove(name))) throw missing('secret', name)
    return null
  },
})
