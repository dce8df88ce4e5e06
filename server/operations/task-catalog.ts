import { z } from 'zod'
import type { OperationContext } from './context'
import { operation } from './operation'

type Catalog = OperationContext['tasks']

/** Every task type with its contract; inputs as JSON Schema. */
export const taskCatalog = operation({
  right: 'read',
  request: z.strictObject({}),
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
