import { ONE_SLOT } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import type { TaskContract } from '@/tasks/contract'
import { relativePath } from '@/tasks/fields'

export const fileWrite = {
  type: 'file.write',
  title: 'Write a file',
  description: 'Writes text, or any other value as JSON, to a file of the run and keeps it as an artifact.',
  category: 'output',
  icon: 'file-output',
  input: z.strictObject({
    path: relativePath.meta({ description: 'Inside the folder of the run, such as reports/summary.txt.' }),
    content: jsonValue.describe('Text as it is, anything else as JSON.'),
    content_type: z
      .string()
      .max(100)
      .regex(/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/, 'write a media type such as text/plain')
      .optional()
      .describe('Such as text/plain or text/csv.'),
  }),
  output: {
    artifact: { type: 'file', description: 'The file.' },
    path: { type: 'string', description: 'Where it was written, inside the folder of the run.' },
    bytes: { type: 'number', description: 'Its size.' },
  },
  example: {
    path: 'reports/summary.txt',
    content: 'done at {{ system.started_at }}',
    content_type: 'text/plain',
  },
  placement: 'server',
  hasEffect: () => true,
  demands: ONE_SLOT,
} satisfies TaskContract
