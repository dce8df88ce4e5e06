import {
  cycleIssue,
  createGrapher,
  type DefinitionGraph,
  type ReadGraph,
} from '@/core/pipeline/definition/definition-graph'
import { limits, type PipelineDefinition } from '@/core/pipeline/definition/definition'
import { append, error, issueAt, type Issue } from '@/core/pipeline/issue'
import { isRecord, type JsonFault } from '@/core/pipeline/json'
import { foreignHint, foreignText, foreignTool } from './foreign'
import { createNodeReader, type NodeReader } from './node'
import { createCheckedNodes } from './checked-nodes'
import { limitedClosest } from '@/core/pipeline/suggest'
import { createSurroundings } from './surroundings'
import type { TaskCatalog } from '@/core/pipeline/definition/task-description'
import { checkTriggers } from '@/core/pipeline/definition/triggers'
import { withRealOutputs } from './real-outputs'
import { checkNode } from './validate-node'
import type { ReadNode, ValidationContext } from '@/core/pipeline/definition/read-node'
import { checkOutputs } from './outputs'
import { checkVerify } from './verify'

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

export type ValidationSettings = {
  tasks: TaskCatalog
  /** The setting PENSTOCK_MAX_NODES. */
  maxNodes: number
  /** Types that the server keeps switched off, each with the setting that turns it on; none where no server is asked. */
  disabledTasks?: ReadonlyMap<string, string>
}

/** What validation found, and what it read on the way; nothing is there where the limits were passed. */
export type ValidatedDefinition = Validation & {
  read: { nodes: readonly ReadNode[]; byId: ReadonlyMap<string, ReadNode>; graph: ReadGraph } | null
}

/**
 * Everything that is wrong with a definition, at once (G-4). Takes any value; runs nothing, fetches nothing, never
 * throws for what it is given. A broken node does not hide what is wrong with the others.
 */
export function validateDefinition(input: unknown, settings: ValidationSettings): Validation {
  const { valid, issues, definition, graph } = createValidator(settings)(input)
  return { valid, issues, ...(definition && { definition }), ...(graph && { graph }) }
}

/**
 * `validateDefinition` for one definition that changes: what was found of a node counts as long as the node is the same object and
 * so is all that it names. Whatever was once passed in must not be changed.
 */
export function createValidator(settings: ValidationSettings): (input: unknown) => ValidatedDefinition {
  const { tasks, maxNodes, disabledTasks = new Map<string, string>() } = settings
  const reader = createNodeReader(tasks)
  const derive = createGrapher()
  const surroundings = createSurroundings()
  const checkedNodes = createCheckedNodes()

  return (input) => {
    const refused = (issue: Issue): ValidatedDefinition => ({ valid: false, issues: [issue], read: null })
    if (!isRecord(input)) return refused(error([], 'invalid_type', 'a pipeline definition is an object'))
    const tool = foreignTool(input)
    if (tool !== null) return refused(error([], 'foreign_document', foreignText(tool), foreignHint))
    const listed = Array.isArray(input.nodes) ? (input.nodes as unknown[]) : []
    const around = surroundings(input)
    const fault = around.fault ?? faultIn(listed, reader)
    if (fault) return refused(error(fault.path, 'invalid_value', fault.message))
    if (listed.length > Math.min(maxNodes, limits.nodes)) {
      const message = `${listed.length} nodes are more than the limit of ${maxNodes}`
      return refused(
        error(['nodes'], 'too_many_nodes', message, 'the limit is the setting PENSTOCK_MAX_NODES'),
      )
    }
    let expressions = around.expressions
    for (const raw of listed) expressions += reader.survey(raw).expressions
    const mostExpressions = limits.expressionsPerNode * maxNodes
    if (expressions > mostExpressions) {
      const message = `${expressions} expressions are more than the limit of ${mostExpressions}`
      const hint = `the limit is ${limits.expressionsPerNode} times the setting PENSTOCK_MAX_NODES`
      return refused(error([], 'too_many_expressions', message, hint))
    }

    const issues = [...around.issues]
    const nodes = listed.map((raw, index) => reader.read(raw, index))
    for (const { index, issues: own } of nodes)
      for (const issue of own) issues.push(issueAt(['nodes', index], issue))
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
    const graph = derive(byId)
    const context: ValidationContext = {
      ...around.context,
      nodes,
      byId,
      tasks,
      disabledTasks,
      sources: ['pipeline', 'system', ...byId.keys()],
      nearest: limitedClosest(maxSuggestions),
      waitsFor: graph.waitsFor,
    }
    const seen = { context: around.context, graph, byId }
    for (const node of nodes) {
      if (checkedNodes.is(node, seen)) continue
      const found = checkNode(node, context)
      if (found.length === 0) checkedNodes.keep(node, seen)
      append(issues, found)
    }
    for (const { node, index } of nodes) {
      if (node.pipeline === undefined || node.pipeline !== input.id) continue
      issues.push(
        error(['nodes', index, 'pipeline'], 'self_reference', `'${node.pipeline}' would run itself for ever`),
      )
    }
    for (const cycle of graph.cycles) issues.push(cycleIssue(cycle, byId))
    append(issues, checkStart(nodes))
    append(issues, checkOutputs(input, context))
    append(issues, checkVerify(input, context))
    append(issues, checkTriggers(input, context.nearest))

    const outputsOf = (id: string) => byId.get(id)?.outputNames ?? undefined
    const valid = !issues.some(({ severity }) => severity === 'error')
    const result: ValidatedDefinition = {
      valid,
      issues: shortened(issues.map((issue) => withRealOutputs(issue, outputsOf))),
      read: { nodes, byId, graph },
    }
    if (valid) result.definition = input as PipelineDefinition
    if (byId.size > 0) result.graph = graph.graph
    return result
  }
}

/** The first node that is no JSON value that a document may hold. */
function faultIn(listed: readonly unknown[], reader: NodeReader): JsonFault | null {
  for (const [index, raw] of listed.entries()) {
    const { fault } = reader.survey(raw)
    if (fault) return { ...fault, path: ['nodes', index, ...fault.path] }
  }
  return null
}

function shortened(issues: Issue[]): Issue[] {
  if (issues.length <= maxIssues) return issues
  const left = issues.slice(maxIssues)
  const severity = left.some((issue) => issue.severity === 'error') ? 'error' : 'warning'
  const message = `and ${left.length} more issues`
  return [...issues.slice(0, maxIssues), { path: [], code: 'too_many_issues', message, severity }]
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
