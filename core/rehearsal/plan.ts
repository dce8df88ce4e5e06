import { z } from 'zod'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { SLOTS } from '@/core/pipeline/definition/demand'
import { durationHint, maxDurationMs, parseDuration } from '@/core/pipeline/duration'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import { MOST_MEMORY, memoryHint, parseMemory } from '@/core/pipeline/memory-size'
import { append, error, issueAt, type Issue } from '@/core/pipeline/issue'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import { didYouMean } from '@/core/pipeline/suggest'
import { parseInstant } from '@/core/engine/instant'

/** A rehearsal stays small enough for the browser: what happens in it, and what it happens to. */
export const REHEARSAL_LIMITS = { events: 10_000, nodes: 5_000 } as const

/** 2026-01-01T00:00:00Z: when a rehearsal starts that does not say when. */
const NEW_YEAR = 1_767_225_600_000

/** Milliseconds, or a duration as definitions write it (`250ms`, `30s`, `2h`). */
const duration = z
  .union([z.number().int().min(0).max(maxDurationMs), z.string()])
  .transform((given, context) => {
    const ms = typeof given === 'number' ? given : parseDuration(given)
    if (ms !== null) return ms
    context.addIssue({ code: 'custom', message: `'${given}' is not a duration; ${durationHint}` })
    return z.NEVER
  })

const amount = z.union([z.number().min(0).max(MOST_MEMORY), z.string()]).transform((given, context) => {
  const found = typeof given === 'number' ? given : parseMemory(given)
  if (found !== null) return found
  context.addIssue({ code: 'custom', message: `'${given}' is no amount; ${memoryHint}` })
  return z.NEVER
})

/** Milliseconds since the epoch, or ISO 8601. */
const instant = z.union([
  z.number().int().min(0).max(8_000_000_000_000),
  z.iso.datetime({ offset: true }).transform(parseInstant),
])

const values = z.record(z.string(), z.json())
const nodeError = z.strictObject({
  kind: z.string().min(1).max(63).optional(),
  message: z.string().max(4_000).optional(),
})
/** Of several things that are due at one instant the one with the lowest rank comes first; then in the order in which they were planned. */
const rank = z.number().int().min(0).optional()
const person = z.string().min(1).max(200)

const attemptPlan = z.strictObject({
  /** Of a forEach: the item (0 …). */
  item: z.number().int().min(0).nullable().optional(),
  attempt: z.number().int().min(1),
  /** null: it does not end by itself. */
  duration: duration.nullable(),
  /** How long it takes to end when it is asked to stop; absent: no time. */
  stopsAfter: duration.optional(),
  rank,
  /** One of these says how it ends; none: as the rest of the plan says. */
  outputs: values.optional(),
  error: z.strictObject({ kind: z.string(), message: z.string(), detail: z.json().optional() }).optional(),
  lost: z.string().optional(),
})

const failurePlan = nodeError.extend({
  /** Which attempts fail: the first so many (of each item), or all. `lost` as its kind: the worker dies. */
  attempts: z.union([z.number().int().min(1), z.literal('all')]).default('all'),
  /** Of a forEach: only these items (0 …). */
  items: z.array(z.number().int().min(0)).max(10_000).optional(),
})

const byHandPlan = z.strictObject({
  /** From when it has failed for good, or first waits for a retry. */
  from: z.enum(['failed', 'retrying']).default('failed'),
  after: duration.default(0),
  /** As the person gives them: every output of the node. */
  outputs: values.default({}),
  reason: z.string().min(1).max(4_000).default('done by hand'),
  by: person.optional(),
  rank,
})

const nodePlan = z.strictObject({
  /** Of one attempt (of one item); null: it does not end by itself. Absent: its estimate, else its history, else a second. */
  duration: duration.nullable().optional(),
  /** The variables that it leaves behind, as others read them; of a forEach lists, one value an item. */
  outputs: values.optional(),
  failure: failurePlan.optional(),
  /** Somebody completes it by hand, once. */
  byHand: byHandPlan.optional(),
  /** Attempts of which more is known than of others, in the order in which they begin. */
  attempts: z.array(attemptPlan).max(REHEARSAL_LIMITS.events).optional(),
})

const decision = z.strictObject({
  decision: z.enum(['approved', 'rejected']),
  /** From when the approval opens. */
  after: duration.default(0),
  /** Absent: anyone whom the approval lists. */
  by: person.optional(),
  /** Absent: every role that the approval lists. */
  roles: z.array(person).max(100).optional(),
  comment: z.string().max(4_000).optional(),
  form: values.optional(),
  rank,
})

const externalEvent = z.strictObject({
  type: z.string(),
  /** From the start of the rehearsal. */
  after: duration.default(0),
  payload: values.default({}),
  by: person.optional(),
  rank,
})

/**
 * What the world around a run is to do, so that nothing is left to chance: how long things take, what they give, what fails, who
 * decides what and when, which events come. What it does not say is estimated or invented, and marked as such.
 */
export const rehearsalPlanSchema = z.strictObject({
  startAt: instant.default(NEW_YEAR),
  /** The instant for which a schedule starts it; absent: no schedule does. */
  scheduledAt: instant.optional(),
  /** Also decides the jitter of retries, which is a function of it: that of a run gives the delays of that run. */
  executionId: z.string().min(1).max(100).default('rehearsal'),
  inputs: values.default({}),
  actor: z
    .strictObject({ name: person, roles: z.array(person).max(100).default([]) })
    .default({ name: 'rehearsal', roles: [] }),
  priority: z.number().int().min(0).max(9).optional(),
  /** How many attempts may run at once; absent: any number. */
  slots: z.number().int().min(1).max(100_000).optional(),
  /** How much there is of each pool (memory in bytes, or as 512Mi); of one that is absent as much as is wanted. */
  pools: z
    .record(z.string().max(200), amount)
    .refine((pools) => Object.keys(pools).length <= 100, 'at most 100 pools')
    .optional(),
  /** Median durations of earlier runs by node, in milliseconds. */
  history: z.record(z.string(), z.number().min(0).max(maxDurationMs)).default({}),
  nodes: z.record(z.string(), nodePlan).default({}),
  /** By node; of an approval that is not there nobody decides anything. */
  approvals: z.record(z.string(), z.array(decision).max(100)).default({}),
  events: z.array(externalEvent).max(1_000).default([]),
  cancel: z
    .strictObject({ after: duration, reason: z.string().max(4_000).optional(), by: person.optional(), rank })
    .optional(),
  /** After so many happenings (ends of attempts, timers, decisions, events) it is stopped. */
  mostEvents: z.number().int().min(1).max(REHEARSAL_LIMITS.events).default(REHEARSAL_LIMITS.events),
})

/** How much a rehearsed run may have of each pool. */
export const capacitiesOf = ({ slots, pools = {} }: Plan): ReadonlyMap<string, number> =>
  new Map([...Object.entries(pools), ...(slots === undefined ? [] : [[SLOTS, slots] as const])])

/** A plan as people and programs write it. */
export type RehearsalPlan = z.input<typeof rehearsalPlanSchema>
/** The same with its defaults, all times in milliseconds. */
export type Plan = z.output<typeof rehearsalPlanSchema>
export type NodePlan = z.output<typeof nodePlan>
export type AttemptPlan = z.output<typeof attemptPlan>
export type DecisionPlan = z.output<typeof decision>

export type ReadPlan =
  { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly issues: readonly Issue[] }

/** Reads a plan for a pipeline; answers the plan, its inputs resolved, or everything that is wrong with it. */
export function readPlan(pipeline: CompiledPipeline, given: unknown): ReadPlan {
  const parsed = rehearsalPlanSchema.safeParse(given)
  if (!parsed.success)
    return { ok: false, issues: issuesOfSchema(parsed.error.issues, rehearsalPlanSchema, given) }
  const plan = parsed.data
  const issues: Issue[] = []
  if (pipeline.nodes.size > REHEARSAL_LIMITS.nodes) {
    const message = `it has ${pipeline.nodes.size} nodes; at most ${REHEARSAL_LIMITS.nodes} can be rehearsed`
    issues.push(error([], 'too_large', message))
  }
  const inputs = resolveInputs(pipeline.definition.inputs ?? {}, plan.inputs)
  if (!inputs.ok)
    append(
      issues,
      inputs.issues.map((issue) => issueAt(['inputs'], issue)),
    )
  for (const field of ['nodes', 'approvals', 'history'] as const)
    for (const id of Object.keys(plan[field])) append(issues, issuesOfNode(pipeline, plan, field, id))
  return issues.length === 0 && inputs.ok
    ? { ok: true, plan: { ...plan, inputs: inputs.values as Plan['inputs'] } }
    : { ok: false, issues }
}

function issuesOfNode(
  pipeline: CompiledPipeline,
  plan: Plan,
  field: 'nodes' | 'approvals' | 'history',
  id: string,
): Issue[] {
  const compiled = pipeline.nodes.get(id)
  if (compiled === undefined) {
    const hint = didYouMean(id, pipeline.nodes.keys())
    return [error([field, id], 'unknown_node', `there is no node '${id}'`, hint)]
  }
  if (field === 'approvals')
    return compiled.kind === 'approval'
      ? []
      : [error([field, id], 'not_an_approval', `'${id}' is no approval: nobody decides it`)]
  const own = field === 'nodes' ? plan.nodes[id] : undefined
  return own === undefined ? [] : issuesOfWork(compiled, own, ['nodes', id])
}

function issuesOfWork(compiled: CompiledNode, own: NodePlan, path: string[]): Issue[] {
  const { id, kind } = compiled
  if (kind === 'approval' || kind === 'wait') {
    const hint = kind === 'approval' ? 'plan its decisions in approvals' : 'its own duration says how long'
    return [error(path, 'no_work', `'${id}' has no work whose end could be planned`, hint)]
  }
  const issues: Issue[] = []
  const { outputNames, outputVariables } = compiled
  for (const name of Object.keys(own.outputs ?? {})) {
    // What another pipeline gives is known only when it runs.
    if (outputNames.includes(name) || (kind === 'pipeline' && outputVariables === null)) continue
    const known = outputNames.length === 0 ? 'it has none' : `it has ${outputNames.join(', ')}`
    const hint = didYouMean(name, outputNames) ?? known
    issues.push(error([...path, 'outputs', name], 'unknown_output', `'${id}' has no output '${name}'`, hint))
  }
  for (const [index, one] of (own.attempts ?? []).entries()) {
    if ([one.outputs, one.error, one.lost].filter((outcome) => outcome !== undefined).length < 2) continue
    const message = 'an attempt has one end: outputs, an error, or that it is lost'
    issues.push(error([...path, 'attempts', index], 'invalid_value', message))
  }
  return issues
}
