import { z } from 'zod'
import { operation } from './operation'

/** The examples that come with the product, whether or not they are still among the pipelines. */
export const listExamples = operation({
  kind: 'query',
  summary: 'List the examples that come with the product',
  right: 'read',
  rest: { method: 'GET', path: '/examples' },
  request: z.strictObject({}),
  answer: z.strictObject({
    items: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        description: z.string().nullable(),
        yaml: z.string(),
      }),
    ),
  }),
  example: {
    request: {},
    answer: {
      items: [
        {
          id: 'seattle_weather',
          name: 'Seattle weather report',
          description: null,
          yaml: 'id: seattle_weather\n',
        },
      ],
    },
  },
  run: async (ctx) => ({ items: ctx.examples }),
})
