import { z } from 'zod'
import { operation } from './operation'

/** The examples that come with the product, whether or not they are still among the pipelines. */
export const listExamples = operation({
  right: 'read',
  request: z.strictObject({}),
  run: async (ctx) => ({ items: ctx.examples }),
})
