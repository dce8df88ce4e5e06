import type { z } from 'zod'
import { checkBindings, checkCompensation } from './bindings'
import {
  idHint,
  idPattern,
  nodeDefinitionSchema,
  type NodeDefinition,
} from '@/core/pipeline/definition/definition'
import { append, error, type Issue } from '@/core/pipeline/issue'
import { countExpressions, findJsonFault, isRecord, type JsonFault } from '@/core/pipeline/json'
import { compensationOf, contractOf, outputNamesOf, readNode } from '@/core/pipeline/definition/node-parts'
import { isReservedId } from '@/core/pipeline/definition/reserved'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import { secretsInNode } from './secret-references'
import type { TaskCatalog } from '@/core/pipeline/definition/task-description'
import { unsupportedInNode } from '@/core/pipeline/definition/unsupported'
import type { ReadNode } from '@/core/pipeline/definition/read-node'

/** Where a node stands in a document: this deep. */
const nodeDepth = 2

/** What must be known of a value before anything in it is read. */
type Survey = { readonly fault: JsonFault | null; readonly expressions: number }

/** What is read of these waits for no node. */
const alwaysThere: ReadonlySet<string> = new Set(['pipeline.input', 'pipeline.output', 'system'])

export type NodeReader = {
  /** Costs little, whatever stands in the value. */
  survey(raw: unknown): Survey
  read(raw: unknown, index: number): ReadNode
}

/**
 * Reads nodes, each once: what is the same object as before is known. Values are taken for immutable as long as the reader is
 * used.
 */
export function createNodeReader(tasks: TaskCatalog): NodeReader {
  const surveys = new WeakMap<object, Survey>()
  const known = new WeakMap<object, ReadNode>()
  return {
    survey: (raw) =>
      remembered(surveys, raw, () => ({
        fault: findJsonFault(raw, nodeDepth),
        expressions: countExpressions(raw),
      })),
    read(raw, index) {
      const read = remembered(known, raw, () => readOne(raw, index, tasks))
      if (read.index === index) return read
      const moved = { ...read, index }
      if (typeof raw === 'object' && raw !== null) known.set(raw, moved)
      return moved
    },
  }
}

function remembered<T>(memory: WeakMap<object, T>, raw: unknown, make: () => T): T {
  if (typeof raw !== 'object' || raw === null) return make()
  const before = memory.get(raw)
  if (before !== undefined) return before
  const made = make()
  memory.set(raw, made)
  return made
}

/** One node: its schema, and whatever can be read of it all the same. */
function readOne(raw: unknown, index: number, tasks: TaskCatalog): ReadNode {
  const issues: Issue[] = []
  const parsed = nodeDefinitionSchema.safeParse(raw)
  let node: Partial<NodeDefinition> = {}
  if (parsed.success) {
    // The schema changes nothing: what was written is what it says.
    node = raw as NodeDefinition
  } else {
    append(issues, issuesOfSchema(parsed.error.issues, nodeDefinitionSchema, raw))
    if (isRecord(raw)) node = withoutBroken(raw, parsed.error.issues)
  }
  append(issues, unsupportedInNode(raw, []))
  append(issues, secretsInNode(raw, contractOf(node, tasks)?.literalInputs))
  append(issues, checkId(node.id, ['id'], 'node'))
  const contract = contractOf(node, tasks)
  const compensation = compensationOf(node, tasks)
  const parts = readNode(node, contract, compensation)
  append(issues, parts.issues)
  const waitedFor = parts.gateSources
  const reads = [...parts.reads, ...(parts.compensation?.reads ?? [])]
  const roots = reads.map(({ root }) => root)
  return {
    index,
    id: node.id,
    node,
    parts,
    contract,
    compensation,
    outputNames: outputNamesOf(node, contract),
    issues,
    bindingIssues: [...checkBindings(node, contract), ...checkCompensation(node, compensation)],
    sources: [...new Set([...waitedFor, ...roots])],
    readsAround: roots.some((root) => !waitedFor.has(root) && !alwaysThere.has(root)),
  }
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

/** Ids of pipelines and nodes. A missing id is the schema's business. */
export function checkId(id: unknown, path: (string | number)[], what: string): Issue[] {
  if (typeof id !== 'string') return []
  if (!idPattern.test(id)) {
    const message = `'${id.slice(0, 80)}' cannot be the id of a ${what}`
    return [error(path, 'invalid_id', message, idHint)]
  }
  if (isReservedId(id))
    return [error(path, 'reserved_id', `'${id}' is reserved and cannot be the id of a ${what}`)]
  return []
}
