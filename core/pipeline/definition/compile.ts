import { producerOf } from '@/core/pipeline/gate/event-type'
import type { NodeDefinition, PipelineDefinition, rollbackTriggers } from './definition'
import type { Demand } from './demand'
import type { ReadGraph } from './definition-graph'
import type { Expression } from '@/core/pipeline/expression/expression'
import { adjacencyOf, deriveEdges, levelsOf, type Adjacency, type Edge } from './graph'
import { append, error, type Issue } from '@/core/pipeline/issue'
import {
  compensationOf,
  contractOf,
  outputNamesOf,
  readCondition,
  readNode,
  syntaxIssue,
  type CompensationParts,
  type ForEach,
  type NodeParts,
  type RetryPolicy,
} from './node-parts'
import { parseDuration } from '@/core/pipeline/duration'
import type { PlacedAtom, StartWhen } from '@/core/pipeline/gate/start-when'
import type { TaskCatalog, TaskDescription } from './task-description'
import { compileTemplate, type Template } from '@/core/pipeline/expression/template'
import { compileTrigger, type CompiledTrigger } from './triggers'
import { unsupportedInNode } from './unsupported'
import type { ReadNode } from './read-node'

/** A node, ready to run: every expression parsed, every duration in milliseconds, every default filled in. */
export type CompiledNode = {
  id: string
  definition: NodeDefinition
  kind: 'task' | 'approval' | 'wait' | 'pipeline'
  task: string
  contract: TaskDescription
  gate: StartWhen
  /** Every atom of the gate, in the order of its text. */
  gateAtoms: readonly PlacedAtom[]
  /** Event types of the gate's atoms, each once. */
  gateEvents: readonly string[]
  /** Those without `!`. */
  awaited: ReadonlySet<string>
  /** Expressions of the gate's conditions. */
  gateConditions: readonly Expression[]
  /** Template of the inputBindings object (kind `map`). */
  bindings: Template
  /** null: every output of the task, by its name. Its templates see the local `result`. */
  outputVariables: ReadonlyMap<string, Template> | null
  /** Names of the variables that it makes when it completes. */
  outputNames: readonly string[]
  /** The pipeline that the node runs, when it runs one. */
  child: string | null
  retry: RetryPolicy | null
  forEach: ForEach | null
  /** The declared phase, else `level_N`, N being the topological level from 0; `finally` for finally nodes. */
  phase: string
  /** Longest attempt. Finally nodes have 10 minutes unless they say otherwise. */
  timeoutMs: number | null
  startTimeoutMs: number | null
  estimateMs: number | null
  priority: number
  /** What an attempt holds of the pools while it is in flight. */
  demands: readonly Demand[]
  allowFailure: boolean
  finally: boolean
  onLost: 'retry' | 'fail'
  /** Its rollback as a task node of its own, under the same id; null: there is none. */
  compensation: CompiledNode | null
  /** Whether the compensation reads what the node itself leaves behind: then there is nothing to undo of one that did not complete. */
  readsOwn: boolean
  /** Its author says that nothing undoes it. */
  irreversible: boolean
  /** Its work changes something outside of the run. */
  hasEffect: boolean
}

export type CompiledPipeline = {
  definition: PipelineDefinition
  revision: number
  failFast: boolean
  /** Of a run that names none: 0 to 9, 5 by default. */
  priority: number
  /** In the order of the definition. */
  nodes: ReadonlyMap<string, CompiledNode>
  /** Event type → nodes whose gate has that atom. */
  listeners: ReadonlyMap<string, readonly string[]>
  /** Node → nodes whose gate has to be looked at when it ends: they name an event of it, or read it in a condition. */
  gateDependents: ReadonlyMap<string, readonly string[]>
  /** Node → nodes whose gate conditions name it. */
  conditionReaders: ReadonlyMap<string, readonly string[]>
  levels: readonly (readonly string[])[]
  edges: readonly Edge[]
  successors: ReadonlyMap<string, readonly string[]>
  predecessors: ReadonlyMap<string, readonly string[]>
  finallyNodes: readonly string[]
  /** How long the run may take, from its start to its outcome. */
  timeoutMs: number | null
  /** By id; only those of the latest revision are acted on. */
  triggers: ReadonlyMap<string, CompiledTrigger>
  /** How many runs of the pipeline there may be at once, and what becomes of one more; null: any number. */
  runsLimit: { readonly limit: number; readonly whenFull: 'queue' | 'skip' | 'refuse' } | null
  /** Outputs of the run, evaluated when it completes. Required only when they say so. */
  outputs: ReadonlyMap<string, { template: Template; required: boolean }>
  /** For which failures a run rolls back by itself; null: for none. */
  rollback: RollbackPolicy | null
  /** What must hold when every node has ended, in the order of the definition [H-1]. */
  verify: readonly Check[]
}

/** `passes`: how often the run is tried in all. */
export type RollbackPolicy = {
  readonly on: ReadonlySet<(typeof rollbackTriggers)[number]>
  readonly passes: number
  readonly scope: 'execution' | 'phase'
}

/** A check of `verify`: its condition is true, or the run does not complete. */
export type Check = { readonly name: string; readonly expression: Expression }

/** Default timeout of a finally node. */
export const finallyTimeoutMs = 600_000
export const defaultPriority = 5
/** How often a run is tried that rolls back by itself. */
export const defaultPasses = 4

/**
 * Compiles a definition that was validated when it was stored. It parses again, because compiled pipelines are
 * made at every load, and answers issues only when it cannot be run: something does not parse, a task is not known, ids clash,
 * nodes wait for each other, or it uses what is not built. Everything else is validation's business.
 */
export function compilePipeline(definition: PipelineDefinition, options: CompileOptions): Compiled {
  const steps = compileSteps(definition, options)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

type CompileOptions = { readonly revision: number; readonly tasks: TaskCatalog }
export type Compiled = { ok: true; pipeline: CompiledPipeline } | { ok: false; issues: Issue[] }

/** `compilePipeline` with a rest after each node: parsing thousands of them would hold up a page for a second. */
export function* compileSteps(
  definition: PipelineDefinition,
  { revision, tasks }: CompileOptions,
): Generator<undefined, Compiled> {
  const issues: Issue[] = []
  const read = new Map<string, SoundNode>()
  for (const [index, node] of definition.nodes.entries()) {
    const path = ['nodes', index]
    const contract = contractOf(node, tasks)
    const compensation = compensationOf(node, tasks)
    const parts = readNode(node, contract, compensation)
    append(issues, unsupportedInNode(node, path))
    append(
      issues,
      parts.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
    )
    if (contract === undefined) {
      if (node.pipeline === undefined)
        issues.push(error([...path, 'task'], 'unknown_task', `'${node.task}' is not a task`))
    } else if (compensation === undefined && node.rollback?.task !== undefined) {
      const message = `'${node.rollback.task}' is not a task`
      issues.push(error([...path, 'rollback', 'task'], 'unknown_task', message))
    } else if (read.has(node.id)) {
      issues.push(error([...path, 'id'], 'duplicate_node_id', `'${node.id}' is the id of another node`))
    } else if (parts.gate !== null) {
      read.set(node.id, { node, parts, contract, compensation, gate: parts.gate })
    }
    yield
  }
  const outputs = compileOutputs(definition, issues)
  const triggers = compileTriggers(definition, issues)
  const verify = compileChecks(definition, issues)
  if (issues.length > 0) return { ok: false, issues }

  const ids = [...read.keys()]
  const edges = deriveEdges(
    [...read].map(([id, { parts }]) => ({ id, events: parts.gateEvents, variables: parts.reads })),
  )
  const adjacency = adjacencyOf(ids, edges)
  const { levels, cycles } = levelsOf(ids, adjacency)
  const [cycle] = cycles
  if (cycle) {
    return {
      ok: false,
      issues: [error(['nodes'], 'cycle', `nodes wait for each other: ${cycle.join(' → ')}`)],
    }
  }
  const levelOf = levelsById(levels)
  const nodes = new Map<string, CompiledNode>()
  for (const [id, node] of read) nodes.set(id, compileNode(node, levelOf.get(id) ?? 0))
  return {
    ok: true,
    pipeline: assemble(definition, {
      revision,
      nodes,
      levels,
      edges,
      adjacency,
      readers: readersOf(nodes),
      outputs,
      triggers,
      verify,
    }),
  }
}

function levelsById(levels: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [index, level] of levels.entries()) for (const id of level) found.set(id, index)
  return found
}

/**
 * Compiles definitions of which validation has just read everything, and found no error. What is the same node on the same level as
 * before is the same compiled node. Null: it cannot be run after all, and `compilePipeline` says why.
 */
export function createAssembler(): (
  definition: PipelineDefinition,
  read: { byId: ReadonlyMap<string, ReadNode>; graph: ReadGraph },
) => CompiledPipeline | null {
  const known = new WeakMap<NodeParts, { level: number; node: CompiledNode }>()
  let last: { graph: ReadGraph; levelOf: ReadonlyMap<string, number>; readers: Readers } | null = null
  return (definition, { byId, graph }) => {
    const { levels, edges } = graph.graph
    // The graph is another as soon as a node names something else.
    const same = last?.graph === graph ? last : null
    const levelOf = same?.levelOf ?? levelsById(levels)
    const nodes = new Map<string, CompiledNode>()
    for (const [id, { node, parts, contract, compensation }] of byId) {
      const level = levelOf.get(id)
      if (contract === undefined || parts.gate === null || level === undefined) return null
      const before = known.get(parts)
      const compiled =
        before?.level === level
          ? before.node
          : compileNode(
              { node: node as NodeDefinition, parts, contract, compensation, gate: parts.gate },
              level,
            )
      if (compiled !== before?.node) known.set(parts, { level, node: compiled })
      nodes.set(id, compiled)
    }
    const issues: Issue[] = []
    const outputs = compileOutputs(definition, issues)
    const triggers = compileTriggers(definition, issues)
    const verify = compileChecks(definition, issues)
    if (issues.length > 0) return null
    const readers = same?.readers ?? readersOf(nodes)
    last = { graph, levelOf, readers }
    const { adjacency } = graph
    const around = { outputs, triggers, verify }
    return assemble(definition, { revision: 1, nodes, levels, edges, adjacency, readers, ...around })
  }
}

/** Who looks when something happens. */
type Readers = Pick<CompiledPipeline, 'listeners' | 'gateDependents' | 'conditionReaders'>

function readersOf(nodes: ReadonlyMap<string, CompiledNode>): Readers {
  const listeners = new Map<string, string[]>()
  const gateDependents = new Map<string, string[]>()
  const conditionReaders = new Map<string, string[]>()
  for (const { id, gateEvents } of nodes.values())
    for (const type of gateEvents) {
      put(listeners, type, id)
      const producer = producerOf(type)
      if (nodes.has(producer)) put(gateDependents, producer, id)
    }
  for (const { id, gateEvents, gateConditions } of nodes.values()) {
    if (gateConditions.length === 0) continue
    const named = new Set(gateEvents.map(producerOf))
    for (const { reads } of gateConditions)
      for (const { root } of reads) {
        if (!nodes.has(root)) continue
        if (!named.has(root)) put(gateDependents, root, id)
        put(conditionReaders, root, id)
      }
  }
  return { listeners, gateDependents, conditionReaders }
}

/** Once to the list of a key, where all that is put there for one value comes together. */
function put(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else if (list[list.length - 1] !== value) list.push(value)
}

function assemble(
  definition: PipelineDefinition,
  {
    nodes,
    adjacency,
    readers,
    ...parts
  }: Pick<CompiledPipeline, 'revision' | 'nodes' | 'levels' | 'edges' | 'outputs' | 'triggers' | 'verify'> & {
    adjacency: Adjacency
    readers: Readers
  },
): CompiledPipeline {
  return {
    definition,
    failFast: definition.policy?.failFast ?? false,
    priority: definition.policy?.priority ?? defaultPriority,
    nodes,
    timeoutMs: definition.policy?.timeout === undefined ? null : parseDuration(definition.policy.timeout),
    finallyNodes: [...nodes.values()].filter((node) => node.finally).map(({ id }) => id),
    runsLimit: runsLimitOf(definition),
    rollback: rollbackOf(definition),
    ...parts,
    ...readers,
    ...adjacency,
  }
}

/** A node of which everything that it needs to run could be read. */
type SoundNode = {
  node: NodeDefinition
  parts: NodeParts
  contract: TaskDescription
  compensation: TaskDescription | undefined
  gate: StartWhen
}

function compileNode({ node, parts, contract, compensation, gate }: SoundNode, level: number): CompiledNode {
  const inFinally = node.finally ?? false
  const compiled: CompiledNode = {
    id: node.id,
    definition: node,
    kind:
      contract.type === 'approval' || contract.type === 'wait' || contract.type === 'pipeline'
        ? contract.type
        : 'task',
    task: contract.type,
    contract,
    gate,
    gateAtoms: parts.gateAtoms,
    gateEvents: parts.gateEvents,
    awaited: parts.awaited,
    gateConditions: parts.conditions,
    bindings: parts.bindings,
    outputVariables: parts.outputVariables,
    outputNames: outputNamesOf(node, contract) ?? [],
    child: node.pipeline ?? null,
    retry: parts.retry,
    forEach: parts.forEach,
    phase: node.phase ?? (inFinally ? 'finally' : `level_${level}`),
    timeoutMs: parts.timeoutMs ?? (inFinally ? finallyTimeoutMs : null),
    startTimeoutMs: parts.startTimeoutMs,
    estimateMs: parts.estimateMs,
    priority: node.priority ?? 0,
    demands: parts.demands,
    allowFailure: node.allowFailure ?? false,
    finally: inFinally,
    onLost: node.onLost ?? 'retry',
    compensation: null,
    readsOwn: parts.compensation?.reads.some(({ root }) => root === node.id) ?? false,
    irreversible: node.rollback?.irreversible ?? false,
    hasEffect: contract.hasEffect?.(node.inputBindings ?? {}) ?? false,
  }
  if (parts.compensation === null || compensation === undefined) return compiled
  return { ...compiled, compensation: compensationNode(compiled, parts.compensation, compensation) }
}

/** What undoes a node runs as a task node would: once, whatever list the node ran over. */
function compensationNode(
  node: CompiledNode,
  { bindings, retry, timeoutMs }: CompensationParts,
  contract: TaskDescription,
): CompiledNode {
  return {
    ...node,
    kind: 'task',
    task: contract.type,
    contract,
    bindings,
    outputVariables: null,
    outputNames: [],
    child: null,
    retry,
    forEach: null,
    timeoutMs,
    onLost: 'retry',
    demands: contract.demands,
    hasEffect: false,
  }
}

function compileOutputs(definition: PipelineDefinition, issues: Issue[]): CompiledPipeline['outputs'] {
  const outputs = new Map<string, { template: Template; required: boolean }>()
  for (const [name, { value, required }] of Object.entries(definition.outputs ?? {})) {
    const compiled = compileTemplate(value)
    if (compiled.ok) outputs.set(name, { template: compiled.value, required: required ?? false })
    else
      append(
        issues,
        compiled.error.map((e) => syntaxIssue(e, ['outputs', name, 'value', ...e.path])),
      )
  }
  return outputs
}

function compileChecks({ verify = [] }: PipelineDefinition, issues: Issue[]): Check[] {
  return verify.flatMap(({ name, check }, index) => {
    const read = readCondition(check, ['verify', index, 'check'], '{{ extract.rows > 0 }}')
    if (read.ok) return [{ name, expression: read.value }]
    append(issues, read.error)
    return []
  })
}

function compileTriggers(definition: PipelineDefinition, issues: Issue[]): CompiledPipeline['triggers'] {
  const triggers = new Map<string, CompiledTrigger>()
  for (const [index, trigger] of (definition.triggers ?? []).entries()) {
    const result = compileTrigger(trigger)
    if (result.ok) triggers.set(trigger.id, result.trigger)
    else
      append(
        issues,
        result.issues.map((issue) => ({ ...issue, path: ['triggers', index, ...issue.path] })),
      )
  }
  return triggers
}

function rollbackOf({ policy }: PipelineDefinition): CompiledPipeline['rollback'] {
  if (policy?.rollback === undefined) return null
  const { on, maxAttempts = defaultPasses, scope = 'execution' } = policy.rollback
  return { on: new Set([on].flat()), passes: maxAttempts, scope }
}

function runsLimitOf({ policy }: PipelineDefinition): CompiledPipeline['runsLimit'] {
  return policy?.maxRunning === undefined
    ? null
    : { limit: policy.maxRunning, whenFull: policy.whenFull ?? 'queue' }
}
