import { z } from 'zod'
import { content } from './operation'

/** The OpenAPI document of this API. */
export const apiDocument = content({
  summary: 'Get this document',
  right: 'know_self',
  rest: { method: 'GET', path: '/openapi.json' },
  request: z.strictObject({}),
  errors: [],
  content: {
    status: 200,
    type: 'application/json',
    schema: z.record(z.string(), z.unknown()),
    description: 'The document, as OpenAPI 3.1.',
    example: { openapi: '3.1.0' },
  },
})
