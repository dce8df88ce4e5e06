import { z } from 'zod'
import { errorCodes } from '@/server/operations/error-meanings'
import { finding } from './definition'

/** What every refusal looks like on the wire. */
export const refusalAnswer = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(errorCodes).meta({ description: 'What is wrong, for programs.' }),
      message: z.string().meta({ description: 'One sentence that a person can act on.' }),
      issues: z.array(finding).meta({ description: 'Every problem at once, each with its place.' }),
    }),
  })
  .meta({ id: 'Error' })
