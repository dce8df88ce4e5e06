import { z } from 'zod'
import { nodeError } from './execution'
import { count, jsonObject } from './json'

/** What a node did that was run by itself (`TrialAnswer`). */
export const trialAnswer = z.strictObject({
  status: z.enum(['completed', 'failed']),
  input: jsonObject.nullable(),
  outputs: jsonObject,
  left_out: z.array(z.string()).meta({ description: 'Outputs that are too large for this answer.' }),
  error: nodeError.nullable(),
  logs: z.array(z.strictObject({ stream: z.enum(['stdout', 'stderr', 'log']), text: z.string() })),
  files: z.array(
    z.strictObject({
      artifact_id: z.string(),
      name: z.string(),
      content_type: z.string(),
      bytes: count,
      preview: z.strictObject({ encoding: z.enum(['utf8', 'base64']), content: z.string() }).nullable(),
    }),
  ),
  duration_ms: z.number(),
})
