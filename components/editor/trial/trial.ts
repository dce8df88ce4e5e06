import { client, problemOf, type TrialRequest } from '@/components/api'
import type { Definition } from '@/components/editor/model/draft/draft'
import type { TrialStores } from '@/components/editor/trial/trial-store'
import { nodesOf, START, type NodeFields } from '@/components/editor/model/flow'
import type { Json, JsonObject } from '@/core/engine/event'
import { prepareTrial, type Prepared } from '@/core/engine/decide/trial'
import { nodeDefinitionSchema, type NodeDefinition } from '@/core/pipeline/definition/definition'
import { isRecord } from '@/core/pipeline/json'
import { taskCatalog } from '@/tasks/contracts'
import { coneOf, readsOf, type Cone } from '@/components/editor/model/trial/cone'
import type { Samples } from './samples'
import type { SampleData, Tried } from './trial-store'

/** The node as an engine reads it; null while it cannot be read. A gate that is not written yet is no matter of a try. */
function readable(node: NodeFields): NodeDefinition | null {
  const read = nodeDefinitionSchema.safeParse({ ...node, startWhen: node['startWhen'] ?? START })
  return read.success ? read.data : null
}

/** Values for the inputs of the pipeline: those of the sample, else what the definition says. */
export function inputsOver(definition: Definition, given: JsonObject | null): JsonObject {
  const declared = isRecord(definition['inputs']) ? definition['inputs'] : {}
  const own = Object.entries(declared).flatMap(([name, input]): [string, Json][] => {
    if (!isRecord(input)) return []
    if (input['default'] !== undefined) return [[name, input['default'] as Json]]
    return input['required'] === false ? [[name, null]] : []
  })
  return Object.fromEntries([...own, ...Object.entries(given ?? {})])
}

/** What a try of the node would begin with, without the server; null while the node cannot be read. */
export function prepare(
  definition: Definition,
  node: NodeFields,
  samples: Samples,
  item: number,
): Prepared | null {
  const read = readable(node)
  if (read === null) return null
  const nodes = new Map([...samples.nodes].map(([id, { outputs }]) => [id, outputs]))
  const system = { execution_id: 'trial', started_at: new Date(0).toISOString(), scheduled_at: null }
  return prepareTrial(
    read,
    { nodes, inputs: inputsOver(definition, samples.inputs), system },
    { tasks: taskCatalog, item },
  )
}

/** Why a try cannot begin, for people; null: it can. `missing`: nodes that are read and of which there is no data. */
export function obstacleOf(prepared: Prepared | null, missing: readonly string[]): string | null {
  switch (prepared?.kind) {
    case 'ready':
      return null
    case 'refused':
      return prepared.message
    case 'failed':
      return missing.length > 0
        ? `Cannot be tried yet: there is no data of ${missing.join(', ')}. Try the nodes before, or pin sample data.`
        : `Cannot be tried yet. ${prepared.error.message}`
    default:
      return 'Cannot be tried yet: the node has errors. See the list of problems.'
  }
}

function requestOf(
  { draft, trials }: TrialStores,
  node: NodeDefinition,
  samples: Samples,
  item: number,
): TrialRequest {
  const { definition } = draft.getState()
  const { pins, tried } = trials.getState()
  const used = readsOf(node).nodes.flatMap((id) => {
    const sample = samples.nodes.get(id)
    return sample === undefined ? [] : [[id, sample] as const]
  })
  // Files are read where the values that name them come from.
  const executions = used.flatMap(([id, { from }]) =>
    typeof from === 'object' ? [from.run] : ((from === 'pin' ? pins : tried).get(id)?.executions ?? []),
  )
  return {
    node,
    variables: Object.fromEntries(
      used.map(([id, { outputs }]) => [id, outputs]),
    ) as TrialRequest['variables'],
    inputs: inputsOver(definition, samples.inputs) as TrialRequest['inputs'],
    executions: [...new Set(executions)].slice(0, 50),
    ...(node.forEach === undefined ? {} : { item }),
  }
}

/** Tries a node over samples and keeps what came of it. One node at a time. */
export async function tryNode(
  stores: TrialStores,
  id: string,
  samples: Samples,
  item: number,
): Promise<void> {
  const { draft, trials } = stores
  draft.parse()
  const { definition } = draft.getState()
  const fields = nodesOf(definition).find((one) => one.id === id)
  const node = fields === undefined ? null : readable(fields)
  if (node === null || trials.getState().running !== null) return
  const request = requestOf(stores, node, samples, item)
  const gone = new AbortController()
  trials.setState({ running: { node: id, stop: () => gone.abort() }, problem: null })
  try {
    const answer = await client.pipelines.try.mutate(request, { signal: gone.signal })
    const left = Object.entries(answer.outputs as JsonObject)
    const outputs = node.forEach === undefined ? left : left.map(([name, value]) => [name, [value]] as const)
    trials.record(id, {
      answer,
      outputs: Object.fromEntries(outputs),
      at: new Date().toISOString(),
      cone: coneOf(definition, id),
      executions: request.executions ?? [],
    } satisfies Tried)
  } catch (error) {
    if (!gone.signal.aborted) trials.setState({ problem: { node: id, problem: problemOf(error) } })
  } finally {
    trials.setState({ running: null })
  }
}

/**
 * Pins values in place of what a node gives. Null, or why they were not, in words.
 * @param values with the cone under which they were made; without one they are said to fit the draft as it is
 */
export function pin(
  { draft, trials }: TrialStores,
  id: string,
  values: Pick<SampleData, 'outputs' | 'executions'> & { readonly cone?: Cone },
): string | null {
  const { outputs, executions, cone = coneOf(draft.getState().definition, id) } = values
  return trials.pin(id, { outputs, executions, at: new Date().toISOString(), cone })
}
