import { z } from 'zod'
import type { OperationContext } from './context'
import { operation } from './operation'

type Catalog = OperationContext['tasks']

/** Every task type with its contract; inputs as JSON Schema. */
export const taskCatalog = operation({
  kind: 'query',
  summary: 'List task types with their contracts',
  right: 'read',
  rest: { method: 'GET', path: '/tasks' },
  request: z.strictObject({}),
  answer: z.strictObject({
    items: z.array(
      z
        .strictObject({
          type: z.string(),
          title: z.string(),
          description: z.string(),
          category: z.enum(['data', 'code', 'flow', 'people', 'output']),
          icon: z.string().meta({ description: 'Name of a lucide icon.' }),
          open_outputs: z.boolean(),
          input: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of the inputs.' }),
          output: z.record(z.string(), z.strictObject({ type: z.string(), description: z.string() })),
          example: z.record(z.string(), z.unknown()),
        })
        .meta({ id: 'TaskType' }),
    ),
  }),
  example: {
    request: {},
    answer: {
      items: [
        {
          type: 'noop',
          title: 'Do nothing',
          description: 'Completes at once.',
          category: 'flow',
          icon: 'circle',
          open_outputs: false,
          input: { type: 'object' },
          output: {},
          example: {},
        },
      ],
    },
  },
  run: async (ctx) => ({ items: describe(ctx.tasks) }),
})

const described = new WeakMap<Catalog, ReturnType<typeof describeAll>>()

function describe(tasks: Catalog) {
  const known = described.get(tasks) ?? describeAll(tasks)
  described.set(tasks, known)
  return known
}

function describeAll(tasks: Catalog) {
  return [...tasks.values()].map((task) => ({
    type: task.type,
    title: task.title,
    description: task.description,
    category: task.category,
    icon: task.icon,
    open_outputs: task.openOutputs ?? false,
    input: z.toJSONSchema(task.input, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
    output: task.output,
    example: task.example,
  }))
}
