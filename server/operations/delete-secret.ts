import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { secretNameField } from './request-fields'

/** Removes a secret. What refers to it is refused from then on: nothing falls back to no secret. */
export const deleteSecret = operation({
  kind: 'command',
  summary: 'Remove a secret',
  right: 'administer',
  rest: { method: 'DELETE', path: '/secrets/:name' },
  request: z.strictObject({ name: secretNameField }),
  answer: z.null(),
  errors: ['not_found'],
  example: { request: { name: 'weather_hook' }, answer: null },
  run: async (ctx, _caller, { name }) => {
    if (!(await ctx.secrets.remove(name))) throw missing('secret', name)
    return null
  },
})
