import { ONE_CHILD } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import type { TaskContract } from '@/tasks/contract'

export const scriptJavascript = {
  type: 'script.javascript',
  title: 'Run JavaScript',
  description:
    'Runs the body of a function in a sandbox without files or network. `input` is in scope; what it returns is the result. Values come in by `input`: `{{ }}` inside the code is not evaluated.',
  category: 'code',
  icon: 'braces',
  keywords: 'code function js typescript transform',
  input: z.strictObject({
    code: z.string().min(1).max(200_000).meta({
      description: 'The body of a function: what it returns is the result.',
      contentMediaType: 'text/javascript',
    }),
    input: jsonValue.optional().describe('What the code sees as input.'),
    memory: z
      .string()
      .regex(/^\d{1,4}Mi$/, 'write the memory as 64Mi')
      .optional()
      .describe('The most that it may use, such as 64Mi.'),
  }),
  output: { result: { type: 'any', description: 'What the code returned.' } },
  literalInputs: ['code'],
  example: { code: 'return input.rows.filter((row) => row.rain > 0).length', input: { rows: [{ rain: 1 }] } },
  placement: 'child',
  demands: ONE_CHILD,
} satisfies TaskContract
