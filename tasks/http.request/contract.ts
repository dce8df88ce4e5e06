import { ONE_SLOT } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import type { TaskContract } from '@/tasks/contract'
import { headerProblem } from '@/core/pipeline/http-headers'

const scalar = z.union([z.string(), z.number(), z.boolean()])

const headersSchema = z.record(z.string(), scalar).superRefine((headers, context) => {
  const entries = Object.entries(headers)
  if (entries.length > 100) context.addIssue({ code: 'custom', message: 'at most 100 headers' })
  const seen = new Set<string>()
  for (const [name, value] of entries) {
    const twice = seen.has(name.toLowerCase()) ? `the header ${name} is written twice` : null
    seen.add(name.toLowerCase())
    const problem = headerProblem(name, String(value)) ?? twice
    if (problem !== null) context.addIssue({ code: 'custom', path: [name], message: problem })
  }
})

/** A status, or all of a class as `2xx`. */
const status = z.union([
  z.number().int().min(100).max(599),
  z.string().regex(/^[1-5](xx|[0-9]{2})$/, 'write a status as 404 or 4xx'),
])

/** Input of a request, parsed. Defaults: method GET, expect 2xx, max_bytes 10 MB. The scheme and the address are checked when it runs. */
export const httpRequestInput = z
  .strictObject({
    method: z
      .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      .default('GET')
      .describe('GET reads. POST, PUT, PATCH and DELETE change something, and may be sent again by a retry.'),
    url: z.string().min(1).max(8_000).meta({ title: 'URL' }),
    headers: headersSchema.optional(),
    query: z.record(z.string(), z.union([scalar, z.array(scalar).max(1_000)])).optional(),
    body: jsonValue.optional().describe('Text is sent as it is, anything else as JSON.'),
    expect: z
      .union([status, z.array(status).min(1).max(50)])
      .optional()
      .describe(
        'The statuses that are a success, such as 201 or 4xx. Any other fails the node; without it, all but 2xx.',
      ),
    large_numbers: z
      .enum(['refuse', 'text'])
      .optional()
      .describe(
        'What becomes of numbers of a JSON answer that are too large to be exact: without it the node fails, with text they come as text.',
      ),
    max_bytes: z
      .number()
      .int()
      .min(1)
      .max(100 * 1024 * 1024)
      .optional()
      .describe('The longest answer that is read, in bytes: 10 MB without it.'),
  })
  .refine(({ method, body }) => body === undefined || (method !== 'GET' && method !== 'HEAD'), {
    path: ['body'],
    error: 'GET and HEAD take no body: use query, or another method',
  })

export const httpRequest = {
  type: 'http.request',
  title: 'Call over HTTP',
  description:
    'Sends a request and reads the answer. Only public addresses can be reached, and what PENSTOCK_EGRESS_ALLOW opens. A body that is not text is sent as JSON.',
  category: 'data',
  icon: 'globe',
  keywords: 'fetch api rest download url get post call curl web',
  input: httpRequestInput,
  output: {
    status: { type: 'number', description: 'The status of the answer.' },
    headers: {
      type: 'object',
      description: 'Its headers, by their names in lower case. set-cookie is a list.',
    },
    body: { type: 'any', description: 'Parsed JSON, text, or a file when it is binary or larger than 1 MB.' },
  },
  defaults: { method: 'GET' },
  example: {
    method: 'POST',
    url: 'https://api.example.com/v1/reports',
    headers: { Accept: 'application/json' },
    query: { dry_run: true },
    body: { station: 'seattle', rows: 3 },
    expect: [201, 409],
  },
  placement: 'server',
  hasEffect: ({ method }) => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS',
  demands: ONE_SLOT,
} satisfies TaskContract
