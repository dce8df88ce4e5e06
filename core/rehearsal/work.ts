import type { Json, JsonObject, NodeError } from '@/core/engine/event'
import type { AttemptState } from '@/core/engine/state'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { defaultEstimateMs } from '@/core/pipeline/definition/critical-path'
import { Inventions } from './invent'
import type { AttemptPlan, NodePlan, Plan } from './plan'

/** Where a time comes from. */
export type DurationSource = 'plan' | 'estimate' | 'history' | 'default'

export type Result =
  | { readonly kind: 'completed'; readonly outputs: JsonObject }
  | { readonly kind: 'failed'; readonly error: NodeError }
  | { readonly kind: 'lost'; readonly reason: string }

/** What one attempt is going to be. */
export type Work = {
  /** Milliseconds; null: it does not end by itself. */
  readonly duration: number | null
  readonly source: DurationSource
  /** Milliseconds until it has ended when it is asked to stop. */
  readonly stopsAfter: number
  readonly rank: number | undefined
  readonly result: Result
  /** Names of the outputs that were invented. */
  readonly invented: readonly string[]
}

/** Does the node make its outputs of its input alone, unless the plan says what they are? */
export function computes({ id, contract }: CompiledNode, plan: Plan): boolean {
  return contract.compute !== undefined && plan.nodes[id]?.outputs === undefined
}

/**
 * The pipeline as it is rehearsed. A plan says, as a pin does, which variables a node leaves behind: there is no result of the task
 * of which `outputVariables` could make them. What computes its outputs by itself makes them as ever.
 */
export function rehearsedPipeline(pipeline: CompiledPipeline, plan: Plan): CompiledPipeline {
  const nodes = new Map<string, CompiledNode>()
  for (const [id, node] of pipeline.nodes) {
    const given = (node.kind === 'task' || node.kind === 'pipeline') && !computes(node, plan)
    nodes.set(id, given ? { ...node, outputVariables: null } : node)
  }
  return { ...pipeline, nodes }
}

/** Says of every attempt how long it takes and what comes of it. */
export class PlannedWork {
  readonly #inventions: Inventions
  /** Attempts of the plan that were not at work yet, by node, item and number. */
  readonly #attempts = new Map<string, AttemptPlan[]>()

  /** @param pipeline as its author wrote it */
  constructor(
    readonly pipeline: CompiledPipeline,
    readonly plan: Plan,
  ) {
    this.#inventions = new Inventions(pipeline, plan)
    for (const [id, { attempts }] of Object.entries(plan.nodes)) {
      for (const one of attempts ?? []) {
        const key = keyOf(id, one.item ?? null, one.attempt)
        const list = this.#attempts.get(key)
        if (list === undefined) this.#attempts.set(key, [one])
        else list.push(one)
      }
    }
  }

  /** @param input what its bindings rendered to */
  of({ node: id, item, attempt }: AttemptState, input: JsonObject): Work {
    const compiled = this.pipeline.nodes.get(id)!
    const node = this.plan.nodes[id]
    const known = this.#attempts.get(keyOf(id, item, attempt))?.shift()
    const failure = failureOf(compiled, node, item, attempt)
    const result = failure ?? (known === undefined ? null : endOf(known))
    const made = result === null ? this.#outputs(compiled, node, item, input) : { result, invented: [] }
    const { rank, stopsAfter = 0 } = known ?? {}
    return { ...this.#durationOf(compiled, known), stopsAfter, rank, ...made }
  }

  #durationOf(
    { id, estimateMs }: CompiledNode,
    known: AttemptPlan | undefined,
  ): Pick<Work, 'duration' | 'source'> {
    const planned = known === undefined ? this.plan.nodes[id]?.duration : known.duration
    if (planned !== undefined) return { duration: planned, source: 'plan' }
    if (estimateMs !== null) return { duration: estimateMs, source: 'estimate' }
    const median = this.plan.history[id]
    return median === undefined
      ? { duration: defaultEstimateMs, source: 'default' }
      : { duration: Math.round(median), source: 'history' }
  }

  #outputs(
    compiled: CompiledNode,
    node: NodePlan | undefined,
    item: number | null,
    input: JsonObject,
  ): Pick<Work, 'result' | 'invented'> {
    const { compute } = compiled.contract
    if (compute !== undefined && computes(compiled, this.plan)) {
      const computed = compute(input)
      const result: Result = computed.ok
        ? { kind: 'completed', outputs: computed.outputs }
        : { kind: 'failed', error: computed.error }
      return { result, invented: [] }
    }
    const given = node?.outputs === undefined ? {} : outputsOfItem(node.outputs, item)
    const possible = this.#inventions.outputsOf(compiled)
    // What was given is all there is, but for what the pipeline reads besides.
    const missing =
      node?.outputs === undefined
        ? Object.keys(possible)
        : this.#inventions
            .readOf(compiled.id)
            .filter((name) => Object.hasOwn(possible, name) && !Object.hasOwn(given, name))
    const invented = Object.fromEntries(missing.map((name) => [name, possible[name]!]))
    return { result: { kind: 'completed', outputs: { ...invented, ...given } }, invented: missing }
  }
}

const keyOf = (node: string, item: number | null, attempt: number) => `${node}/${item ?? ''}/${attempt}`

function endOf({ outputs, error, lost }: AttemptPlan): Result | null {
  if (outputs !== undefined) return { kind: 'completed', outputs: outputs as JsonObject }
  if (error !== undefined) return { kind: 'failed', error: error as NodeError }
  return lost === undefined ? null : { kind: 'lost', reason: lost }
}

function failureOf(
  { kind: work, child }: CompiledNode,
  node: NodePlan | undefined,
  item: number | null,
  attempt: number,
): Result | null {
  const failure = node?.failure
  if (failure === undefined) return null
  if (failure.attempts !== 'all' && attempt > failure.attempts) return null
  if (failure.items !== undefined && (item === null || !failure.items.includes(item))) return null
  const { message = 'failed as planned' } = failure
  if (failure.kind === 'lost') return { kind: 'lost', reason: message }
  const error =
    work === 'pipeline'
      ? { kind: failure.kind ?? 'child_failed', message: `${child} failed: ${message}` }
      : { kind: failure.kind ?? 'task_failed', message }
  return { kind: 'failed', error }
}

/** Of a forEach the plan says lists, as others read them; what is no list is the same for every item. */
function outputsOfItem(outputs: NonNullable<NodePlan['outputs']>, item: number | null): JsonObject {
  if (item === null) return outputs as JsonObject
  const own = Object.entries(outputs).map(([name, value]) => {
    const one = Array.isArray(value) ? (value as readonly Json[])[item] : (value as Json)
    return [name, one ?? null] as const
  })
  return Object.fromEntries(own)
}
