import { validateDefinition, type Validation } from '@/core/pipeline/check/validate'
import { taskCatalog } from '@/tasks/contracts'

/** Definitions as authors write them, right or wrong: what a test leaves out is left out. */
export const S = 'event:pipeline.started'

export const node = (id: string, startWhen = S, extra: object = {}) => ({
  id,
  task: 'noop',
  startWhen,
  ...extra,
})

export const set = (id: string, inputBindings: object, startWhen = S, extra: object = {}) => ({
  id,
  task: 'set',
  inputBindings,
  startWhen,
  ...extra,
})

export const approval = (id: string, startWhen = S, extra: object = {}) => ({
  id,
  task: 'approval',
  inputBindings: { message: 'ok?', approvers: ['role:admin'] },
  startWhen,
  ...extra,
})

export const pipeline = (nodes: unknown, extra: object = {}) => ({ id: 'p', nodes, ...extra })

/** A list of so many numbers, each doubled by an item of its own, between two nodes. It goes when `external.go` comes. */
export const listOf = (count: number, { id, name }: { id: string; name: string }) => ({
  schemaVersion: 1,
  id,
  name,
  nodes: [
    set('numbers', { all: Array.from({ length: count }, (_, at) => at) }, `${S} && event:external.go`),
    set('each', { twice: '{{ item * 2 }}' }, 'event:numbers.completed', {
      forEach: { items: '{{ numbers.all }}', concurrency: 8 },
    }),
    node('last', 'event:each.completed'),
  ],
})

export function validate(input: unknown, maxNodes = 500): Validation {
  return validateDefinition(input, { tasks: taskCatalog, maxNodes })
}

/** `path: code` of every issue. */
export function codes(input: unknown): string[] {
  return validate(input).issues.map(({ path, code }) => `${path.join('.')}: ${code}`)
}
