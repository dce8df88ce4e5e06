import { tooFewOf, tooFewText } from '@/core/engine/decide/quorum'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { isRequired } from '@/core/pipeline/definition/inputs'
import { warning, type Issue } from '@/core/pipeline/issue'
import { didYouMean } from '@/core/pipeline/suggest'
import type { Voter } from '@/core/engine/decide/approval'
import type { OperationContext } from './context'
import { roles } from './rights'

/**
 * What a definition names that is not there, or not as it is named. All of it may be stored later, so these are warnings and no
 * errors before it is needed [G-4].
 */
export async function missingReferences(
  ctx: OperationContext,
  definition: PipelineDefinition,
): Promise<Issue[]> {
  const children = await Promise.all(
    definition.nodes.map((node, index) =>
      node.pipeline === undefined ? [] : childIssues(ctx, { ...node, pipeline: node.pipeline }, index),
    ),
  )
  const asks = definition.nodes.some(({ task }) => task === 'approval')
  const people = asks ? await ctx.people.list() : []
  const approvers = definition.nodes.flatMap((node, index) => approverIssues(node, index, people))
  return [...children.flat(), ...approvers, ...(await secretIssues(ctx, definition))]
}

/** The pipeline that a node runs, in its latest revision, and whether the bindings are what it takes. */
async function childIssues(
  ctx: OperationContext,
  { pipeline, inputBindings = {} }: NodeDefinition & { readonly pipeline: string },
  index: number,
): Promise<Issue[]> {
  const row = await ctx.pipelines.get(pipeline)
  if (row === null) {
    const message = `there is no pipeline '${pipeline}' yet: the node will fail until there is`
    return [warning(['nodes', index, 'pipeline'], 'unknown_pipeline', message)]
  }
  const child = await ctx.runs.pipeline(row.id, row.revision)
  if (child === null) return []
  const declared = child.definition.inputs ?? {}
  const at = ['nodes', index, 'inputBindings']
  const unknown = Object.keys(inputBindings).filter((name) => !Object.hasOwn(declared, name))
  const absent = Object.entries(declared).filter(
    ([name, input]) => isRequired(input) && !Object.hasOwn(inputBindings, name),
  )
  return [
    ...unknown.map((name) => {
      const message = `pipeline '${pipeline}' has no input '${name}': the node will fail`
      return warning([...at, name], 'unknown_input', message, didYouMean(name, Object.keys(declared)))
    }),
    ...absent.map(([name]) => {
      const message = `pipeline '${pipeline}' needs the input '${name}': the node will fail without it`
      return warning(at, 'missing_input', message)
    }),
  ]
}

/**
 * Nobody holds a role that does not exist, and nobody has two votes: an approval that only such a role may decide, or that asks for more
 * people than may decide it, is never given.
 */
function approverIssues(
  { task, inputBindings = {} }: NodeDefinition,
  index: number,
  people: readonly Voter[],
): Issue[] {
  const { approvers } = inputBindings
  if (task !== 'approval' || !Array.isArray(approvers)) return []
  const unknown = roleIssues(approvers, index)
  // What is computed is known only in the run.
  if (unknown.length > 0 || approvers.some((entry) => typeof entry !== 'string' || entry.includes('{{')))
    return unknown
  return VOTES.flatMap(([field, vote]) => {
    const needed = inputBindings[field] ?? 1
    const short = typeof needed === 'number' ? tooFewOf(people, approvers, needed) : null
    // Whoever cannot approve cannot reject either: that is said once.
    if (short === null || (vote === 'rejection' && inputBindings[field] === undefined)) return []
    const path = ['nodes', index, 'inputBindings', Object.hasOwn(inputBindings, field) ? field : 'approvers']
    return [warning(path, 'unreachable_quorum', `asks for ${tooFewText(short, vote)}`)]
  })
}

const VOTES = [
  ['quorum', 'approval'],
  ['rejectQuorum', 'rejection'],
] as const

function roleIssues(approvers: readonly unknown[], index: number): Issue[] {
  return approvers.flatMap((entry: unknown, at) => {
    const role = typeof entry === 'string' ? /^role:([^{]+)$/.exec(entry)?.[1] : undefined
    if (role === undefined || (roles as readonly string[]).includes(role)) return []
    const path = ['nodes', index, 'inputBindings', 'approvers', at]
    const hint = didYouMean(role, roles) ?? `roles are ${roles.join(', ')}`
    return [warning(path, 'unknown_role', `there is no role '${role}': nobody can decide by it`, hint)]
  })
}

async function secretIssues(ctx: OperationContext, definition: PipelineDefinition): Promise<Issue[]> {
  const hooks = webhookTriggersOf(definition)
  if (hooks.length === 0) return []
  const secrets = new Set((await ctx.secrets.list()).map(({ name }) => name))
  return hooks
    .filter(({ secret }) => !secrets.has(secret))
    .map(({ index, secret }) => {
      const message = `there is no secret '${secret}' yet: the hook refuses every call until there is`
      return warning(['triggers', index, 'secret'], 'unknown_secret', message)
    })
}

function webhookTriggersOf({ triggers = [] }: PipelineDefinition): { index: number; secret: string }[] {
  return triggers.flatMap((trigger, index) =>
    trigger.type === 'webhook' ? [{ index, secret: trigger.secret.slice('secret:'.length) }] : [],
  )
}
