import { z } from 'zod'
import {
  idPattern,
  limits,
  nodeDefinitionSchema,
  pipelineFields,
  type NodeDefinition,
  type PipelineDefinition,
} from './definition'
import { criticalPath, defaultEstimateMs } from './critical-path'
import { durationHint, parseDuration } from './duration'
import { adjacencyOf, ancestryOf, deriveEdges, levelsOf, type Edge } from './graph'
import { issuesOfDefinitions } from './inputs'
import { append, error, type Issue } from './issue'
import { findJsonFault, isRecord } from './json'
import { contractOf, outputNamesOf, readNode } from './node-parts'
import { isReservedId } from './reserved'
import { issuesOfSchema } from './schema-issues'
import { limitedClosest } from './suggest'
import type { TaskCatalog } from './task-description'
import { checkTriggers, hasCronTrigger } from './triggers'
import { unsupportedInNode, unsupportedInPipeline } from './unsupported'
import { checkNode } from './validate-node'
import { checkName, type ReadNode, type ValidationContext } from './validation-context'
import { checkOutputs } from './validate-outputs'

/** The graph of a definition, before any run: durations are estimates. */
export type DefinitionGraph = {
  nodes: string[]
  edges: Edge[]
  levels: string[][]
  /** Nodes of the critical path, in order. */
  criticalPath: string[]
  durationMs: number
}

export type Validation = {
  /** No issue is an error; warnings may be there. */
  valid: boolean
  issues: Issue[]
  /** The input itself, as written, when valid. */
  definition?: PipelineDefinition
  /** As far as there are nodes with ids; without levels behind a cycle. */
  graph?: DefinitionGraph
}

/** More issues than this help nobody; the last one then says how many were left out. */
const maxIssues = 500
/** A suggestion compares a word with hundreds of others; a document with more mistakes than that goes without. */
const maxSuggestions = 100

const topSchema = z.strictObject({ ...pipelineFields, nodes: z.array(z.unknown()).min(1) })

/**
 * Everything that is wrong with a definition, at once (G-4). Takes any value; runs nothing, fetches nothing, never
 * throws for what it is given. A broken node does not hide what is wrong with the others.
 *
 * `maxNodes` is the setting PENSTOCK_MAX_NODES; `disabledTasks` are types that the server keeps switched off, each with the
 * setting that turns it on (none where no server is asked).
 */
export function validateDefinition(
  input: unknown,
  {
    tasks,
    maxNodes,
    disabledTasks = new Map(),
  }: { tasks: TaskCatalog; maxNodes: number; disabledTasks?: ReadonlyMap<string, string> },
): Validation {
  if (!isRecord(input)) {
    return { valid: false, issues: [error([], 'invalid_type', 'a pipeline definition is an object')] }
  }
  const fault = findJsonFault(input)
  if (fault) return { valid: false, issues: [error(fault.path, 'invalid_value', fault.message)] }
  const listed = Array.isArray(input.nodes) ? (input.nodes as unknown[]) : []
  if (listed.length > Math.min(maxNodes, limits.nodes)) {
    const message = `${listed.length} nodes are more than the limit of ${maxNodes}`
    return {
      valid: false,
      issues: [error(['nodes'], 'too_many_nodes', message, 'the limit is the setting PENSTOCK_MAX_NODES')],
    }
  }

  const expressions = countExpressions(input)
  const mostExpressions = limits.expressionsPerNode * maxNodes
  if (expressions > mostExpressions) {
    const message = `${expressions} expressions are more than the limit of ${mostExpressions}`
    const hint = `the limit is ${limits.expressionsPerNode} times the setting PENSTOCK_MAX_NODES`
    return { valid: false, issues: [error([], 'too_many_expressions', message, hint)] }
  }

  const top = topSchema.safeParse(input)
  const issues = top.success ? [] : issuesOfSchema(top.error.issues, topSchema, input)
  append(issues, unsupportedInPipeline(input))
  append(issues, checkTop(input))
  const nodes = listed.map((node, index) => readOne(node, index, tasks, issues))
  const byId = new Map<string, ReadNode>()
  for (const node of nodes) {
    if (node.id === undefined) continue
    if (byId.has(node.id)) {
      const message = `'${node.id}' is the id of another node`
      issues.push(error(['nodes', node.index, 'id'], 'duplicate_node_id', message))
    } else {
      byId.set(node.id, node)
    }
  }
  const graph = graphOf(byId)
  const context: ValidationContext = {
    nodes,
    byId,
    inputNames: isRecord(input.inputs) ? Object.keys(input.inputs) : [],
    outputNames: isRecord(input.outputs) ? Object.keys(input.outputs) : [],
    systemVariables: hasCronTrigger(input)
      ? ['execution_id', 'started_at', 'scheduled_at']
      : ['execution_id', 'started_at'],
    phases: Array.isArray(input.phases) ? input.phases.filter((phase) => typeof phase === 'string') : null,
    tasks,
    disabledTasks,
    sources: ['pipeline', 'system', ...byId.keys()],
    nearest: limitedClosest(maxSuggestions),
    waitsFor: waitingBetween(graph.graph, byId),
  }
  for (const node of nodes) append(issues, checkNode(node, context))
  for (const { node, index } of nodes) {
    if (node.pipeline === undefined || node.pipeline !== input.id) continue
    issues.push(
      error(['nodes', index, 'pipeline'], 'self_reference', `'${node.pipeline}' would run itself for ever`),
    )
  }
  if (
    isRecord(input.policy) &&
    typeof input.policy.timeout === 'string' &&
    parseDuration(input.policy.timeout) === null
  ) {
    const message = `'${input.policy.timeout}' is not a duration`
    issues.push(error(['policy', 'timeout'], 'invalid_duration', message, durationHint))
  }
  if (
    isRecord(input.policy) &&
    input.policy.whenFull !== undefined &&
    input.policy.maxRunning === undefined
  ) {
    const message = 'whenFull means nothing without maxRunning'
    issues.push(error(['policy', 'whenFull'], 'missing_limit', message, 'add maxRunning'))
  }
  for (const cycle of graph.cycles) issues.push(cycleIssue(cycle, byId))
  append(issues, checkStart(nodes))
  append(issues, checkOutputs(input, context))
  append(issues, checkTriggers(input, context.nearest))

  const valid = !issues.some(({ severity }) => severity === 'error')
  const result: Validation = { valid, issues: shortened(issues) }
  if (valid) result.definition = input as unknown as PipelineDefinition
  if (byId.size > 0) result.graph = graph.graph
  return result
}

/** How many `{{` stand in the texts of a value, whose nesting is bounded. */
function countExpressions(value: unknown): number {
  if (typeof value === 'string') return value.includes('{{') ? value.split('{{').length - 1 : 0
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const member of Object.values(value)) count += countExpressions(member)
  return count
}

function shortened(issues: Issue[]): Issue[] {
  if (issues.length <= maxIssues) return issues
  const left = issues.slice(maxIssues)
  const severity = left.some((issue) => issue.severity === 'error') ? 'error' : 'warning'
  const message = `and ${left.length} more issues`
  return [...issues.slice(0, maxIssues), { path: [], code: 'too_many_issues', message, severity }]
}

/** Names around the nodes. */
function checkTop(input: Record<string, unknown>): Issue[] {
  const issues = checkId(input.id, ['id'], 'pipeline')
  if (isRecord(input.inputs)) {
    const declared = Object.entries(input.inputs).filter(
      ([, definition]) => pipelineFields.inputs.safeParse({ x: definition }).success,
    )
    const definitions = Object.fromEntries(declared) as NonNullable<PipelineDefinition['inputs']>
    append(
      issues,
      issuesOfDefinitions(definitions).map((issue) => ({ ...issue, path: ['inputs', ...issue.path] })),
    )
  }
  for (const field of ['inputs', 'outputs'] as const) {
    for (const name of isRecord(input[field]) ? Object.keys(input[field]) : [])
      append(issues, checkName(name, [field, name]))
  }
  // The schema tells when there are more.
  const phases = Array.isArray(input.phases) ? (input.phases as unknown[]).slice(0, limits.phases) : []
  phases.forEach((phase, index) => {
    if (phases.indexOf(phase) < index) {
      issues.push(error(['phases', index], 'duplicate_phase', `'${String(phase)}' is listed twice`))
    }
  })
  return issues
}

/** Ids of pipelines and nodes. A missing id is the schema's business. */
function checkId(id: unknown, path: (string | number)[], what: string): Issue[] {
  if (typeof id !== 'string') return []
  if (!idPattern.test(id)) {
    const hint = 'lower case letters, digits and underscores, beginning with a letter, at most 63'
    return [error(path, 'invalid_id', `'${id.slice(0, 80)}' cannot be the id of a ${what}`, hint)]
  }
  if (isReservedId(id))
    return [error(path, 'reserved_id', `'${id}' is reserved and cannot be the id of a ${what}`)]
  return []
}

/** One node: its schema, and whatever can be read of it all the same. */
function readOne(raw: unknown, index: number, tasks: TaskCatalog, issues: Issue[]): ReadNode {
  const path = ['nodes', index]
  const parsed = nodeDefinitionSchema.safeParse(raw)
  let node: Partial<NodeDefinition> = {}
  if (parsed.success) {
    node = parsed.data
  } else {
    append(issues, issuesOfSchema(parsed.error.issues, nodeDefinitionSchema, raw, path))
    if (isRecord(raw)) node = withoutBroken(raw, parsed.error.issues)
  }
  append(issues, unsupportedInNode(raw, path))
  append(issues, checkId(node.id, [...path, 'id'], 'node'))
  const contract = contractOf(node, tasks)
  const parts = readNode(node, contract)
  append(
    issues,
    parts.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
  )
  return { index, id: node.id, node, parts, contract, outputNames: outputNamesOf(node, contract) }
}

/** The fields of a node that the schema had nothing to say about; each is of its declared type. */
function withoutBroken(
  raw: Record<string, unknown>,
  zodIssues: readonly z.core.$ZodIssue[],
): Partial<NodeDefinition> {
  const known = Object.keys(nodeDefinitionSchema.shape)
  const broken = new Set(zodIssues.map(({ path }) => path[0]))
  return Object.fromEntries(
    Object.entries(raw).filter(([key]) => known.includes(key) && !broken.has(key)),
  ) as Partial<NodeDefinition>
}

function cycleIssue(cycle: readonly string[], byId: ReadonlyMap<string, ReadNode>): Issue {
  const indexOf = (id: string) => byId.get(id)?.index ?? 0
  const first = Math.min(...cycle.map(indexOf))
  const from = cycle.findIndex((id) => indexOf(id) === first)
  const round = [...cycle.slice(from), ...cycle.slice(0, from + 1)]
  const hint = 'no node may wait for itself, directly or through others; reading a variable waits too'
  return error(
    ['nodes', first, 'startWhen'],
    'cycle',
    `nodes wait for each other: ${round.join(' → ')}`,
    hint,
  )
}

/** Some node must begin (G-4). */
function checkStart(nodes: readonly ReadNode[]): Issue[] {
  if (nodes.length === 0) return []
  // A gate that cannot be read might have been the one.
  const starts = nodes.some(
    ({ parts, node }) =>
      !node.finally && (parts.gate === null || parts.gateEvents.includes('pipeline.started')),
  )
  if (starts) return []
  return [
    error(
      ['nodes'],
      'no_start_node',
      'no node starts the pipeline',
      'give one startWhen: event:pipeline.started',
    ),
  ]
}

function graphOf(byId: ReadonlyMap<string, ReadNode>): { graph: DefinitionGraph; cycles: string[][] } {
  const ids = [...byId.keys()]
  const edges = deriveEdges(
    [...byId].map(([id, { parts }]) => ({ id, events: parts.gateEvents, variables: parts.reads })),
  )
  const adjacency = adjacencyOf(ids, edges)
  const { levels, cycles } = levelsOf(ids, adjacency)
  const timings = new Map(
    ids.map((id) => [id, { duration: byId.get(id)?.parts.estimateMs ?? defaultEstimateMs }]),
  )
  const { path, total } = criticalPath(levels, adjacency, timings)
  return { graph: { nodes: ids, edges, levels, criticalPath: path, durationMs: total }, cycles }
}

/** By events and gate conditions alone: a gate waits for those, while reading a variable waits for nobody. */
function waitingBetween(
  { nodes, edges }: DefinitionGraph,
  byId: ReadonlyMap<string, ReadNode>,
): (id: string, ancestor: string) => boolean {
  const waits = edges.filter(
    ({ kind, from, to }) =>
      kind === 'event' ||
      byId.get(to)?.parts.conditions.some(({ reads }) => reads.some(({ root }) => root === from)),
  )
  const adjacency = adjacencyOf(nodes, waits)
  // Most nodes read only what they wait for themselves, and the others cost a square of the nodes.
  let ancestry: ReturnType<typeof ancestryOf> | undefined
  return (id, ancestor) => {
    if (adjacency.predecessors.get(id)?.includes(ancestor)) return true
    ancestry ??= ancestryOf(levelsOf(nodes, adjacency).levels, adjacency)
    return ancestry(id, ancestor)
  }
}
