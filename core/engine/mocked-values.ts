import type { CompiledNode } from '@/core/pipeline/definition/compile'
import type { Expression, Reference } from '@/core/pipeline/expression/types'
import { templateExpressions, type Template } from '@/core/pipeline/expression/template'
import type { MockedValue } from './event'
import type { ExecutionState } from './state'

/** More values of one question, and more mocks of one value, are not named. */
const MOST_VALUES = 50
const MOST_MOCKS = 10
const NONE: readonly string[] = []

type Mocked = Pick<ExecutionState, 'pipeline' | 'nodes' | 'mocks' | 'mockedInputs'>

/** Does a run hold values that come from mocks? */
export const isMocked = ({ mocks, mockedInputs }: Pick<Mocked, 'mocks' | 'mockedInputs'>): boolean =>
  mockedInputs.length > 0 || Object.keys(mocks).length > 0

/** The mocked values that a node's inputs are rendered from: what people see of an approval. */
export function mockedValuesOf(state: Mocked, compiled: CompiledNode): readonly MockedValue[] {
  if (!isMocked(state)) return []
  const mocksOf = traceMocks(state)
  const found = new Map<string, MockedValue>()
  for (const read of readsOf(compiled.bindings, compiled)) {
    const mocks = mocksOf(read)
    if (mocks.length > 0 && found.size < MOST_VALUES) found.set(read.name, { value: read.name, mocks })
  }
  return [...found.values()]
}

/** The inputs of a sub-pipeline that its node renders from mocked values. */
export function mockedInputsOf(state: Mocked, compiled: CompiledNode): readonly string[] {
  const { bindings } = compiled
  if (!isMocked(state) || bindings.kind !== 'map') return []
  const mocksOf = traceMocks(state)
  return [...bindings.entries].flatMap(([name, template]) =>
    readsOf(template, compiled).some((read) => mocksOf(read).length > 0) ? [name] : [],
  )
}

type MocksOf = (read: Reference) => readonly string[]

/** Which mocks a variable rests on. What a node reads is all that its outputs are computed from. */
function traceMocks({ pipeline, nodes, mocks, mockedInputs }: Mocked): MocksOf {
  const byNode = new Map<string, readonly string[]>()
  const inputs = new Set(mockedInputs)
  const mocksOf: MocksOf = ({ root, variable, name }) => {
    if (root === 'pipeline.input') return inputs.has(variable) ? [name] : []
    const output = root === 'pipeline.output' ? pipeline.outputs.get(variable) : undefined
    if (output !== undefined) return union(expressionReads(templateExpressions(output.template)).map(mocksOf))
    // Of a decision only the form may hold what was asked.
    const isSaid = pipeline.nodes.get(root)?.kind === 'approval' && variable !== 'form'
    return isSaid ? NONE : (byNode.get(root) ?? NONE)
  }
  // Whatever a node reads is on an earlier level.
  for (const level of pipeline.levels) {
    for (const id of level) {
      const compiled = pipeline.nodes.get(id)!
      const node = nodes.get(id)
      // Somebody gave its outputs.
      if (node?.status === 'completed' && node.byHand !== null) continue
      const own = mocks[id] === undefined ? union(allReadsOf(compiled).map(mocksOf)) : [id]
      if (own.length > 0) byNode.set(id, own)
    }
  }
  return mocksOf
}

const union = (lists: readonly (readonly string[])[]): readonly string[] =>
  [...new Set(lists.flat())].slice(0, MOST_MOCKS)

const expressionReads = (expressions: readonly Expression[]): readonly Reference[] =>
  expressions.flatMap(({ reads }) => reads)

function allReadsOf(compiled: CompiledNode): readonly Reference[] {
  const outputs = [...(compiled.outputVariables?.values() ?? [])]
  return [
    ...readsOf(compiled.bindings, compiled),
    ...outputs.flatMap((output) => expressionReads(templateExpressions(output))),
  ]
}

/** What a template of a node reads; by `item` it reads what the list of the node does. */
function readsOf(template: Template, { forEach }: CompiledNode): readonly Reference[] {
  const expressions = templateExpressions(template)
  const items = forEach !== null && expressions.some(({ locals }) => locals.includes('item'))
  return expressionReads([...expressions, ...(items ? templateExpressions(forEach.items) : [])])
}

/** As events and answers carry it: absent where there is none. */
export const mockedPayload = (
  mocked: readonly MockedValue[],
): { mocked?: { value: string; mocks: string[] }[] } =>
  mocked.length === 0 ? {} : { mocked: mocked.map(({ value, mocks }) => ({ value, mocks: [...mocks] })) }
