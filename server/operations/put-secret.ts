import { z } from 'zod'
import { operation } from './operation'
import { secretNameField } from './request-fields'

/** Sets a secret, or replaces its value. What uses it sees the new value the next time that it asks. */
export const putSecret = operation({
  kind: 'command',
  summary: 'Set a secret',
  right: 'administer',
  rest: { method: 'PUT', path: '/secrets/:name' },
  request: z.strictObject({ name: secretNameField, value: z.string().min(1).max(65_536) }),
  answer: z.strictObject({ name: z.string() }),
  example: {
    request: { name: 'weather_hook', value: 'a long random text' },
    answer: { name: 'weather_hook' },
  },
  run: async (ctx, caller, { name, value }) => {
    await ctx.secrets.put(name, value, caller)
    return { name }
  },
})
