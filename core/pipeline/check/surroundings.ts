import { z } from 'zod'
import { limits, pipelineFields, type PipelineDefinition } from '@/core/pipeline/definition/definition'
import { durationHint, parseDuration } from '@/core/pipeline/duration'
import { issuesOfDefinitions } from '@/core/pipeline/definition/inputs'
import { append, error, issueAt, type Issue } from '@/core/pipeline/issue'
import {
  countExpressions,
  findJsonFault,
  findMemberFault,
  isRecord,
  textOf,
  type JsonFault,
} from '@/core/pipeline/json'
import { checkId } from './node'
import { secretsAround } from './secret-references'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import { hasCronTrigger } from '@/core/pipeline/definition/triggers'
import { checkName, type ValidationContext } from '@/core/pipeline/definition/read-node'

/** Everything around the nodes of a definition, and what is wrong with it by itself. */
export type Surroundings = {
  fault: JsonFault | null
  expressions: number
  /** None where there is a fault. */
  issues: readonly Issue[]
  /** What nodes can see of it; the same object as long as it says the same. */
  context: Pick<ValidationContext, 'inputNames' | 'outputNames' | 'systemVariables' | 'phases'>
}

type Fields = Readonly<Record<string, unknown>>

const topSchema = z.strictObject({ ...pipelineFields, nodes: z.array(z.unknown()).min(1) })

/** Reads what stands around the nodes; what was found before where nothing of it is another object. */
export function createSurroundings(): (input: Fields) => Surroundings {
  let last: { input: Fields; found: Surroundings } | null = null
  return (input) => {
    // Issues of nodes are reported for each of them; here only whether there are any counts.
    const shell = Array.isArray(input.nodes)
      ? { ...input, nodes: input.nodes.slice(0, 1) as unknown[] }
      : input
    if (last !== null && sameShell(last.input, shell)) return last.found
    const found = surroundingsOf(input, shell)
    if (last !== null && sameContext(last.found.context, found.context)) found.context = last.found.context
    last = { input: shell, found }
    return found
  }
}

function sameShell(a: Fields, b: Fields): boolean {
  const keys = Object.keys(b)
  return (
    keys.length === Object.keys(a).length &&
    keys.every((key) =>
      key === 'nodes' && Array.isArray(a[key]) && Array.isArray(b[key])
        ? a[key].length === b[key].length
        : Object.hasOwn(a, key) && a[key] === b[key],
    )
  )
}

function sameContext(a: Surroundings['context'], b: Surroundings['context']): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function surroundingsOf(input: Fields, shell: Fields): Surroundings {
  const context = {
    inputNames: isRecord(input.inputs) ? Object.keys(input.inputs) : [],
    outputNames: isRecord(input.outputs) ? Object.keys(input.outputs) : [],
    systemVariables: hasCronTrigger(input)
      ? ['execution_id', 'started_at', 'scheduled_at']
      : ['execution_id', 'started_at'],
    phases: Array.isArray(input.phases) ? input.phases.filter((phase) => typeof phase === 'string') : null,
  }
  const isList = Array.isArray(input.nodes)
  const fault = findMemberFault(input, (member, key) =>
    key === 'nodes' && isList ? null : findJsonFault(member, 1),
  )
  if (fault) return { fault, expressions: 0, issues: [], context }
  const { nodes, ...rest } = input
  const top = topSchema.safeParse(shell)
  const issues = top.success ? [] : issuesOfSchema(top.error.issues, topSchema, shell)
  append(issues, secretsAround(input))
  append(issues, checkNames(input))
  append(issues, checkPolicy(input.policy))
  return { fault, expressions: countExpressions(isList ? rest : { ...rest, nodes }), issues, context }
}

function checkNames(input: Fields): Issue[] {
  const issues = checkId(input.id, ['id'], 'pipeline')
  if (isRecord(input.inputs)) {
    const declared = Object.entries(input.inputs).filter(
      ([, definition]) => pipelineFields.inputs.safeParse({ x: definition }).success,
    )
    const definitions = Object.fromEntries(declared) as NonNullable<PipelineDefinition['inputs']>
    for (const issue of issuesOfDefinitions(definitions)) issues.push(issueAt(['inputs'], issue))
  }
  for (const field of ['inputs', 'outputs'] as const) {
    for (const name of isRecord(input[field]) ? Object.keys(input[field]) : [])
      append(issues, checkName(name, [field, name]))
  }
  // The schema reports when there are more.
  const phases = Array.isArray(input.phases) ? (input.phases as unknown[]).slice(0, limits.phases) : []
  phases.forEach((phase, index) => {
    if (phases.indexOf(phase) < index) {
      issues.push(error(['phases', index], 'duplicate_phase', `'${textOf(phase)}' is listed twice`))
    }
  })
  return issues
}

function checkPolicy(policy: unknown): Issue[] {
  if (!isRecord(policy)) return []
  const issues: Issue[] = []
  if (typeof policy.timeout === 'string' && parseDuration(policy.timeout) === null) {
    const message = `'${policy.timeout}' is not a duration`
    issues.push(error(['policy', 'timeout'], 'invalid_duration', message, durationHint))
  }
  if (policy.whenFull !== undefined && policy.maxRunning === undefined) {
    const message = 'whenFull means nothing without maxRunning'
    issues.push(error(['policy', 'whenFull'], 'missing_limit', message, 'add maxRunning'))
  }
  return issues
}
