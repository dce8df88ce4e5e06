import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { issuesOfSchema } from './schema-issues'

describe('a value that none of several forms takes', () => {
  const ofUnion = z.union([z.string(), z.number()])
  const ofTypes = z.discriminatedUnion('type', [
    z.object({ type: z.literal('cron') }),
    z.object({ type: z.literal('webhook') }),
  ])
  const issuesOf = (schema: z.ZodType, value: unknown) =>
    issuesOfSchema(schema.safeParse(value).error?.issues ?? [], schema, value)

  it.each(['toString', 'valueOf', 'toJSON', 'constructor'])(
    'is told also where it is an object with a member %s, which in JSON is no function',
    (name) => {
      const value = { [name]: 3 }
      const [issue] = issuesOf(ofUnion, value)
      expect(issue).toMatchObject({
        code: 'invalid_value',
        message: `{"${name}":3} is not allowed here`,
        hint: 'one of a string, a number',
      })
      expect(issuesOf(ofTypes, { type: value })).toHaveLength(1)
    },
  )
})
