import { compilePipeline, type CompiledNode } from '@/core/pipeline/definition/compile'
import type { NodeDefinition } from '@/core/pipeline/definition/definition'
import type { Found, Scope } from '@/core/pipeline/expression/types'
import type { Issue } from '@/core/pipeline/issue'
import type { TaskCatalog } from '@/core/pipeline/definition/task-description'
import { outputVariables, type OutputValues } from './attempt-outcome'
import type { JsonObject, NodeError } from '@/core/engine/event'
import { NO_LARGE_VALUES } from '@/core/engine/large-values'
import { listOver } from './scope'
import { inputOver } from './start-attempt'

/**
 * A trial runs one node by itself, over values that somebody gave, outside of any run: to see what it does before the pipeline is
 * saved. Its bindings, its contract and its outputs are those of a real attempt; its gate, its retries and its other items are
 * not looked at. Pure: who runs a trial passes in what came of the work.
 */

/** The variables that a trial reads instead of those that a run would have written. */
export type Samples = {
  /** Outputs by node. */
  readonly nodes: ReadonlyMap<string, JsonObject>
  /** Values of the pipeline's inputs. */
  readonly inputs: JsonObject
  /** `system.…` */
  readonly system: JsonObject
}

export type ReadyTrial = {
  readonly compiled: CompiledNode
  readonly scope: Scope
  readonly input: JsonObject
}

export type Prepared =
  | { readonly kind: 'ready'; readonly trial: ReadyTrial }
  /** The node has no work of its own that could be tried. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It could not be run by any engine; paths begin in the node. */
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  /** As a real attempt over these values would have failed before it began. */
  | { readonly kind: 'failed'; readonly error: NodeError }

const NO_WORK: Readonly<Record<Exclude<CompiledNode['kind'], 'task'>, string>> = {
  approval: 'An approval is decided by people, in a run: there is nothing to try. Pin what it should give.',
  wait: 'A wait only waits: there is nothing to try.',
  pipeline:
    'A node that runs another pipeline cannot be tried by itself: run that pipeline, or pin its outputs.',
}

/** Renders the input of a node over samples; of a forEach for the item at `item` (0 …). */
export function prepareTrial(
  node: NodeDefinition,
  samples: Samples,
  { tasks, item = 0 }: { readonly tasks: TaskCatalog; readonly item?: number | undefined },
): Prepared {
  // What starts it is no matter of a trial, and may be half written.
  const alone = { id: 'trial', nodes: [{ ...node, startWhen: 'event:pipeline.started' }] }
  const read = compilePipeline(alone, { revision: 1, tasks })
  if (!read.ok) {
    const issues = read.issues.map((issue) => ({ ...issue, path: issue.path.slice(2) }))
    return { kind: 'invalid', issues }
  }
  const compiled = read.pipeline.nodes.get(node.id)!
  if (compiled.kind !== 'task') return { kind: 'refused', message: NO_WORK[compiled.kind] }
  const over = scopeOfSamples(samples)
  const scope = compiled.forEach === null ? { ok: true as const, scope: over } : ofItem(compiled, over, item)
  if (!scope.ok) return { kind: 'failed', error: scope.error }
  const resolved = inputOver(compiled, scope.scope)
  return resolved.ok
    ? { kind: 'ready', trial: { compiled, scope: scope.scope, input: resolved.input } }
    : { kind: 'failed', error: resolved.error }
}

/** What the node would leave behind, given what its task gave. */
export function trialOutputs({ compiled, scope }: ReadyTrial, outputs: JsonObject): OutputValues {
  return outputVariables(NO_LARGE_VALUES, compiled, scope, outputs)
}

function ofItem(
  compiled: CompiledNode,
  scope: Scope,
  index: number,
): { readonly ok: true; readonly scope: Scope } | { readonly ok: false; readonly error: NodeError } {
  const list = listOver(compiled, scope)
  if (!list.ok) return { ok: false, error: { kind: list.kind, message: list.message } }
  if (index >= list.items.length) {
    const length = list.items.length
    const message =
      length === 0
        ? 'forEach.items is empty: there is no item to try'
        : `forEach.items has ${length} items: there is none at ${index}`
    return { ok: false, error: { kind: 'invalid_input', message } }
  }
  return { ok: true, scope: { ...scope, locals: { item: list.items[index] ?? null, index } } }
}

/** Samples as expressions see them: by the names that a run would know them by. */
function scopeOfSamples({ nodes, inputs, system }: Samples): Scope {
  const variables = new Map<string, Found>(
    [['pipeline.input', inputs] as const, ['system', system] as const, ...nodes].flatMap(([root, values]) =>
      Object.entries(values).map(([name, value]) => [`${root}.${name}`, { value }] as const),
    ),
  )
  return { lookup: (name) => variables.get(name), names: () => variables.keys() }
}
