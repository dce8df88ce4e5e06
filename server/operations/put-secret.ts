import { z } from 'zod'
import { operation } from './operation'
import { secretNameField } from './request-fields'

/** Shorter ones can be guessed, or found from one signature. Hooks are what secrets are for. */
const LEAST = { characters: 16, bytes: 16 } as const

const TOO_SHORT =
  `a secret has at least ${LEAST.characters} characters; one that begins with whsec_ at least ${LEAST.bytes} bytes in base64 after that: ` +
  'make one by `openssl rand -base64 32`'

function isLongEnough(value: string): boolean {
  // What cannot be seen is guessed first.
  if (value.replace(/\p{C}/gu, '').trim().length < LEAST.characters) return false
  if (!value.startsWith('whsec_')) return true
  return Buffer.from(value.slice('whsec_'.length), 'base64').length >= LEAST.bytes
}

/** Sets a secret, or replaces its value. What uses it sees the new value the next time that it asks. */
export const putSecret = operation({
  kind: 'command',
  summary: 'Set a secret',
  right: 'administer',
  rest: { method: 'PUT', path: '/secrets/:name' },
  request: z.strictObject({
    name: secretNameField,
    value: z.string().max(65_536).refine(isLongEnough, TOO_SHORT),
  }),
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
