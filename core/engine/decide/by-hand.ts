import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { didYouMean } from '@/core/pipeline/suggest'
import type { Json, JsonObject } from '@/core/engine/event'
import type { EngineInput, Rejection } from '@/core/engine/input'
import type { ExecutionState, NodeState } from '@/core/engine/state'
import { isFinished, nodeOf } from '@/core/engine/state'
import type { GateRecord } from '@/core/engine/typed-event'
import { outputWrites } from './attempt-outcome'
import type { Decision } from './decision'
import { nodeFact } from './fact'
import { evaluateGate, recordOf } from './gate'
import { gateBelow, gateText, type SubPipelines } from './gate-below'
import { lightOutputs } from './light-outputs'
import { closureOf, goOn, refusedWhileCancelling, undoneNodes, unknownNodes } from './reset'
import { itemsOf } from './scope'
import type { StepContext } from './step-context'

type CompleteByHand = Extract<EngineInput, { type: 'complete_by_hand' }>
type Issue = NonNullable<Rejection['issues']>[number]

const NONE: SubPipelines = new Map()

/**
 * A person did the work of a node elsewhere: it completes with the outputs that they give. One commit resets it and what followed it
 * under the next generation and writes its end; a run that was over goes on.
 */
export function completeByHand(state: ExecutionState, input: CompleteByHand, context: StepContext): Decision {
  const { node: id, outputs, reason, actor, subPipelines = NONE } = input
  const refused = refusalByHand(state, id, subPipelines)
  if (refused !== null) return { ok: false, rejection: refused }
  const compiled = state.pipeline.nodes.get(id)!
  const issues = outputIssues(state, compiled, outputs, subPipelines)
  if (issues[0] !== undefined)
    return { ok: false, rejection: { code: 'invalid_outputs', message: issues[0].message, issues } }
  const written = outputWrites(state, { node: id, item: null }, outputs)
  if (!written.ok) return { ok: false, rejection: { code: 'payload_too_large', message: written.message } }
  const payload = { duration_ms: 0, ...lightOutputs(outputs, id), by_hand: { reason } }
  const reset = resetByHand(state, id)
  const gate = gateByHand(state, compiled, reset)
  return goOn(
    state,
    {
      asked: [id],
      reset,
      actor,
      done: (generation) => [
        // Those that follow its start are reset as well, and have to see it again.
        nodeFact({ node: id, generation }, 'started', { gate }),
        nodeFact({ node: id, generation }, 'completed', payload, { actor, variables: written.variables }),
      ],
    },
    context,
  )
}

/**
 * Why a node cannot be completed by hand, whatever the outputs, or null. Pages ask it too. No person stands for an approval or for an
 * event of the outside, at no depth.
 */
export function refusalByHand(
  state: ExecutionState,
  id: string,
  subPipelines: SubPipelines = NONE,
): Rejection | null {
  const compiled = state.pipeline.nodes.get(id)
  if (compiled === undefined) {
    const unknown = unknownNodes(state.pipeline, [id])!
    return { ...unknown, issues: unknown.issues!.map((issue) => ({ ...issue, path: ['node_id'] })) }
  }
  const ending = refusedWhileCancelling(state)
  if (ending !== null) return ending
  const refuse = (why: string): Rejection => ({
    code: 'not_completable',
    message: `'${id}' cannot be completed by hand: ${why}`,
  })
  if (compiled.kind === 'approval') return refuse('it is an approval, which only its approvers decide')
  if (compiled.finally) return refuse('it runs after the end of the run; rerun it instead')
  const below = gateBelow(compiled, subPipelines)
  if (below !== null) return refuse(gateText(below))
  const node = nodeOf(state, id)
  return isStuck(node)
    ? null
    : refuse(`it is ${node.status}; only a node that failed, or that waits for a retry, can be`)
}

/** The nodes that are reset with it: itself, what followed it, and what its failure or a cancel had stopped. */
export function resetByHand(state: ExecutionState, id: string): readonly string[] {
  return closureOf(state.pipeline, [id, ...stoppedBy(state, id), ...undoneNodes(state)])
}

/**
 * What of its gate holds, whatever the gate says as a whole: failures that it was there for are handled by it still. Events of nodes
 * that are reset with it do not count any more.
 */
function gateByHand(state: ExecutionState, compiled: CompiledNode, reset: readonly string[]): GateRecord {
  const { events } = recordOf(evaluateGate(state, compiled))
  return { events: events.filter((type) => !reset.includes(eventTypeOf(type).node)), conditions: [] }
}

/** It failed, or its next try waits: for its time, for a slot, or for the run to go on. */
function isStuck(node: NodeState): boolean {
  if (node.status === 'queued') return node.startedAt !== null
  return node.status === 'failed' || node.status === 'retrying'
}

/** What goes on with it: nodes that its failure stopped in a `failFast` run, and what a cancel of the run ended. */
function stoppedBy(state: ExecutionState, id: string): string[] {
  return [...state.nodes].flatMap(([other, node]) => {
    if (node.status === 'cancelled') return isFinished(state) ? [other] : []
    if (node.status !== 'skipped') return []
    const stopped = node.reason === 'pipeline_cancelled' || (node.reason === 'fail_fast' && node.cause === id)
    return stopped ? [other] : []
  })
}

/** What is wrong with outputs: a node completed by hand leaves behind what its own work would. */
function outputIssues(
  state: ExecutionState,
  compiled: CompiledNode,
  outputs: JsonObject,
  subPipelines: SubPipelines,
): Issue[] {
  const { id, forEach, child, outputVariables } = compiled
  // A rehearsal does not know what another pipeline gives.
  if (child !== null && outputVariables === null && !subPipelines.has(child)) return []
  const items = forEach === null ? null : itemsOf(state, compiled)
  const count = items?.ok === true ? items.items.length : null
  const expected = expectedOutputs(compiled, subPipelines)
  const names = [...expected.keys()]
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
  const issues: Issue[] = Object.keys(outputs)
    .filter((name) => !expected.has(name))
    .map((name) => ({
      path: ['outputs', name],
      code: 'unknown_output',
      message: `'${id}' has no output '${name}'`,
      hint: didYouMean(name, names) ?? known,
    }))
  for (const [name, type] of expected) {
    const path = ['outputs', name]
    const value = Object.hasOwn(outputs, name) ? outputs[name]! : undefined
    if (value === undefined)
      issues.push({ path, code: 'missing_output', message: `the output '${name}' of '${id}' is missing` })
    else if (forEach !== null ? !Array.isArray(value) : !isOfType(value, type)) {
      const asked = forEach === null ? type : 'array'
      const message = `the output '${name}' of '${id}' has to be ${WITH_ARTICLE[asked] ?? asked}`
      issues.push({ path, code: 'invalid_type', message })
    } else if (count !== null && name !== 'item_errors' && (value as readonly Json[]).length !== count) {
      const message = `the output '${name}' of '${id}' has to be a list of ${count}, one for each item in their order; null stands for none`
      issues.push({ path, code: 'invalid_length', message })
    }
  }
  return issues
}

/** Names of the outputs that a node leaves behind, each with the type that its task promises; `any` where nobody says. */
export function expectedOutputs(
  { child, contract, outputNames, outputVariables }: CompiledNode,
  subPipelines: SubPipelines = NONE,
): ReadonlyMap<string, string> {
  const names =
    child === null || outputVariables !== null
      ? outputNames
      : [...new Set([...outputNames, ...(subPipelines.get(child)?.outputs.keys() ?? [])])]
  const typeOf = (name: string) => (outputVariables === null ? (contract.output[name]?.type ?? 'any') : 'any')
  return new Map(names.map((name) => [name, typeOf(name)]))
}

const WITH_ARTICLE: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  file: 'a file: an object with its artifact_id',
}

/** Tasks themselves leave null where there is nothing, such as a file that was not asked for. */
function isOfType(value: Json, type: string): boolean {
  if (value === null) return true
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
    case 'file':
      return typeof value === 'object' && 'artifact_id' in value && typeof value['artifact_id'] === 'string'
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    default:
      return true
  }
}
