import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { didYouMean } from '@/core/pipeline/suggest'
import { LIMITS } from '@/core/engine/event'
import type { Mock, Rejection, StartInput } from '@/core/engine/input'
import { jsonBytes } from '@/core/engine/json-bytes'
import type { ExecutionState } from '@/core/engine/state'
import { gateBelow, gateText, type SubPipelines } from './gate-below'

const NONE: SubPipelines = new Map()

type MockIssue = NonNullable<Rejection['issues']>[number]

/**
 * What is wrong with the mocks of a start, all at once, or null. A mock replaces a node's work; gates cannot be mocked away, at
 * no depth, and what the node never makes would only be missed where it is read.
 */
export function checkMocks(
  state: ExecutionState,
  { mocks, subPipelines = NONE }: Pick<StartInput, 'mocks' | 'subPipelines'>,
): Rejection | null {
  if (jsonBytes(mocks, LIMITS.mocksBytes) > LIMITS.mocksBytes) {
    return {
      code: 'payload_too_large',
      message: `the mocks are larger than ${LIMITS.mocksBytes} bytes together`,
    }
  }
  const issues = Object.entries(mocks).flatMap(([id, mock]): MockIssue[] => {
    const path = ['mocks', id]
    const compiled = state.pipeline.nodes.get(id)
    if (compiled === undefined) {
      const hint = didYouMean(id, state.pipeline.nodes.keys())
      const issue = { path, code: 'unknown_node', message: `there is no node '${id}'` }
      return [hint === undefined ? issue : { ...issue, hint }]
    }
    if (compiled.kind === 'approval')
      return [{ path, code: 'mocked_approval', message: `'${id}' is an approval and cannot be mocked` }]
    const below = gateBelow(compiled, subPipelines)
    if (below !== null)
      return [{ path, code: 'mocked_gate', message: `'${id}' cannot be mocked: ${gateText(below)}` }]
    return checkOutputs(compiled, mock)
  })
  return issues.length === 0 ? null : { code: 'unknown_mock', message: issues[0]!.message, issues }
}

/** What another pipeline gives is known only when it runs. */
function checkOutputs({ id, kind, outputNames, outputVariables }: CompiledNode, mock: Mock): MockIssue[] {
  if (!('outputs' in mock) || (kind === 'pipeline' && outputVariables === null)) return []
  const unknown = Object.keys(mock.outputs).filter((name) => !outputNames.includes(name))
  return unknown.map((name) => {
    const known = outputNames.length === 0 ? 'it has none' : `it has ${outputNames.join(', ')}`
    return {
      path: ['mocks', id, 'outputs', name],
      code: 'unknown_output',
      message: `'${id}' has no output '${name}'`,
      hint: didYouMean(name, outputNames) ?? known,
    }
  })
}
