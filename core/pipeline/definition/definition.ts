import { z } from 'zod'
import { endsItsDirections } from '@/core/pipeline/directions'
import { durationExamples, durationHint } from '@/core/pipeline/duration'
import { memoryExamples, memoryHint } from '@/core/pipeline/memory-size'
import { inputTypes } from './input-types'

/**
 * The pipeline definition: what the editor outputs, what the API takes, what is stored as a revision.
 *
 * The schema describes the document *as written*: it fills in no defaults and changes nothing, so that
 * what an author wrote is what is stored and shown. Defaults are applied where a definition is compiled.
 * Every object is strict. Rules: G-2, R-33, R-61, R-84.
 */

/** Upper bounds of single fields. Past one, the issue names it; nothing is cut off silently. */
export const limits = {
  nameLength: 200,
  descriptionLength: 4_000,
  expressionLength: 4_000,
  /** Characters of a start condition: it may name every node of the largest pipeline. */
  gateLength: 1_000_000,
  labels: 50,
  labelLength: 200,
  inputs: 200,
  outputs: 200,
  bindings: 200,
  phases: 200,
  triggers: 50,
  /** What they give stands in one event, with their names. */
  checks: 50,
  checkNameLength: 100,
  pools: 20,
  notes: 500,
  noteLength: 10_000,
  rehearsals: 200,
  /** Characters of one plan, as JSON. */
  planLength: 100_000,
  enumValues: 1_000,
  /** Times the most nodes: of the whole definition, whose expressions are all parsed and cached. */
  expressionsPerNode: 20,
  /** The node limit itself is a setting; this is the most that the setting may say. */
  nodes: 10_000,
} as const

/** Node ids, pipeline ids, input and output names, phases. */
export const idPattern = /^[a-z][a-z0-9_]{0,62}$/
export const idHint = 'lower case letters, digits and underscores, beginning with a letter, at most 63'

/**
 * Any value. That it is JSON, and how deep, `findJsonFault` checks for a whole document at once: asked of each
 * value by its schema it would be a fifth of all that validation does.
 */
const json = z.custom<z.core.util.JSONType>((value) => value !== undefined)
/** A name stands in sentences. */
export const name = z
  .string()
  .min(1)
  .max(limits.nameLength)
  .refine(endsItsDirections, 'a name ends the direction of writing that it sets (U+202E, for one)')
const description = z.string().max(limits.descriptionLength).meta({ contentMediaType: 'text/plain' })
const shortText = z.string().min(1).max(limits.nameLength)
const expressionText = z.string().min(1).max(limits.expressionLength)
const duration = z.string().min(1).max(40).meta({ description: durationHint, examples: durationExamples })
const fraction = z.number().min(0).max(1)
/** A variable name may be camelCase: outputs of tasks and bindings of authors often are. */
export const variableNamePattern = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const variableName = z.string().regex(variableNamePattern)
const labelText = z
  .string()
  .max(limits.labelLength)
  .refine(endsItsDirections, 'a label ends the direction of writing that it sets (U+202E, for one)')
/** Of a pipeline, and of a run. */
export const labels = z
  .record(labelText.min(1), labelText)
  .refine((value) => Object.keys(value).length <= limits.labels, `at most ${limits.labels} labels`)

function bounded<S extends z.ZodRecord>(schema: S, most: number, what: string): S {
  return schema.refine((value) => Object.keys(value as object).length <= most, `at most ${most} ${what}`) as S
}

/** One input of a pipeline, and one field of an approval's form: both use this shape (N-O7). */
export const inputDefinitionSchema = z.strictObject({
  type: z.enum(inputTypes),
  default: json.optional().describe('What it is when nothing is given.'),
  description: description.optional(),
  title: shortText.optional().describe('How a form names it.'),
  enum: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .min(1)
    .max(limits.enumValues)
    .optional()
    .meta({ title: 'Choices', description: 'The only values that it may have.' }),
  required: z
    .boolean()
    .optional()
    .meta({ default: true, description: 'Without a default, a value must be given unless this says no.' }),
  pattern: z.string().min(1).max(500).optional().describe('A regular expression that a text must match.'),
  minLength: z.number().int().min(0).optional().meta({ title: 'Shortest' }),
  maxLength: z.number().int().min(0).optional().meta({ title: 'Longest' }),
  minValue: z.number().optional().meta({ title: 'Smallest' }),
  maxValue: z.number().optional().meta({ title: 'Largest' }),
})

const outputDefinitionSchema = z.strictObject({
  value: json.describe('Any value with {{ expressions }}, worked out when the run completes.'),
  required: z.boolean().optional().describe('A run that cannot make it has failed.'),
  description: description.optional(),
})

const triggerInputs = bounded(z.record(z.string(), json), limits.inputs, 'inputs')

const triggerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string().regex(idPattern),
    type: z.literal('cron'),
    cron: shortText.meta({
      title: 'Schedule',
      description: 'Minute, hour, day, month, weekday: 0 6 * * 1-5.',
    }),
    timezone: shortText
      .optional()
      .meta({ title: 'Time zone', description: 'Such as Europe/Berlin; UTC without it.' }),
    missed: z
      .enum(['latest', 'all', 'none'])
      .optional()
      .describe('Which times are made up for that passed while the server was down.'),
    inputs: triggerInputs.optional().describe('Inputs of the runs that it starts.'),
    enabled: z.boolean().optional().meta({ title: 'Switched on', default: true }),
  }),
  z.strictObject({
    id: z.string().regex(idPattern),
    type: z.literal('webhook'),
    /** `secret:name`: what the caller proves to know. */
    secret: z
      .string()
      .regex(/^secret:[a-z][a-z0-9_]{0,62}$/, 'the name of a secret is written secret:name')
      .describe('A secret of the settings, written secret:name.'),
    auth: z.enum(['bearer', 'standard', 'github']).optional().describe('How the caller proves it.'),
    inputs: triggerInputs.optional().describe('From what was sent: {{ body.station }}.'),
    enabled: z.boolean().optional().meta({ title: 'Switched on', default: true }),
  }),
])

/** What a run can roll back for by itself (H-O6); a person can at any time. */
export const rollbackTriggers = [
  'verify_failed',
  'failed',
  'timeout',
  'resource_exhaustion',
  'security',
] as const
const rollbackTrigger = z.enum(rollbackTriggers)

const policySchema = z.strictObject({
  failFast: z.boolean().optional().describe('The first failure ends the run.'),
  maxRunning: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ title: 'Runs at once', description: 'The most; any number without it.' }),
  whenFull: z
    .enum(['queue', 'skip', 'refuse'])
    .optional()
    .describe('What becomes of one more run; it waits without this.'),
  timeout: duration
    .optional()
    .meta({ title: 'Time limit', description: 'How long a run may take, such as 2h.' }),
  priority: z.number().int().min(0).max(9).optional().describe('0 to 9, higher first; 5 without it.'),
  rollback: z
    .strictObject({
      on: z
        .union([rollbackTrigger, z.array(rollbackTrigger).min(1)])
        .describe('Which failures roll the run back.'),
      maxAttempts: z.number().int().min(1).max(100).optional().meta({
        title: 'Tries',
        description: 'How often the run is tried in all, the first time too; 4 without it.',
      }),
      scope: z
        .enum(['execution', 'phase'])
        .optional()
        .describe(
          'What is rolled back and run again: everything without it, or the phase that failed and what follows it.',
        ),
    })
    .optional()
    .describe('What the nodes did is undone, and the run begins again.'),
})

const checkSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(limits.checkNameLength)
    .refine(endsItsDirections, 'a name ends the direction of writing that it sets (U+202E, for one)')
    .describe('What has to hold, such as: has rows.'),
  check: expressionText.describe('An expression that must be true: {{ extract.rows > 0 }}.'),
})

const retrySchema = z.strictObject({
  maxAttempts: z
    .number()
    .int()
    .min(1)
    .max(100)
    .meta({ title: 'Tries', description: 'All tries together, the first too.' }),
  strategy: z
    .enum(['fixed', 'linear', 'exponential', 'fibonacci', 'risk-adaptive'])
    .optional()
    .meta({ title: 'Pauses grow', description: 'fixed without it.' }),
  delay: duration.optional().meta({ title: 'First pause', description: 'Such as 2s.' }),
  maxDelay: duration.optional().meta({ title: 'Longest pause', description: 'Such as 30s.' }),
  jitter: fraction.optional().describe('From 0 to 1: how much of a pause is left to chance.'),
  when: expressionText.optional().meta({
    title: 'Only when',
    description: "Sees error and attempts: {{ error.kind != 'invalid_input' }}.",
  }),
})

const forEachSchema = z.strictObject({
  items: json.describe(
    'A list. The node runs once for each of its members, which it reads as `item` (and `index`, from 0).',
  ),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ title: 'At once', description: 'The most items that run at the same time.' }),
  allowFailures: z
    .boolean()
    .optional()
    .describe('Items may fail: the node completes with the others, and item_errors lists those that failed.'),
})

const bindings = bounded(z.record(variableName, json), limits.bindings, 'bindings')

/** What undoes the work of a node, or that nothing can. */
const rollbackSchema = z
  .strictObject({
    task: shortText.optional().describe('The task that undoes what the node did.'),
    inputBindings: bindings.optional(),
    timeout: duration
      .optional()
      .meta({ title: 'Time limit', description: 'The longest that one try may take, such as 5m.' }),
    retry: retrySchema.optional(),
    irreversible: z
      .literal(true)
      .optional()
      .describe('Nothing can undo it: a run does not roll back past it by itself.'),
  })
  .refine(({ task, irreversible }) => (task === undefined) !== (irreversible === undefined), {
    error: "give either a 'task' that undoes the work, or 'irreversible: true'",
  })
  .refine(
    ({ task, inputBindings, timeout, retry }) =>
      task !== undefined || (inputBindings === undefined && timeout === undefined && retry === undefined),
    { error: 'only a task takes inputs, a time limit and tries' },
  )

export const nodeDefinitionSchema = z.strictObject({
  id: z.string(),
  name: name.optional(),
  description: description.optional(),
  task: shortText.optional(),
  pipeline: shortText.optional(),
  inputBindings: bindings.optional(),
  outputVariables: bounded(z.record(variableName, json), limits.outputs, 'output variables').optional(),
  startWhen: z.string().min(1).max(limits.gateLength),
  startTimeout: duration.optional().meta({
    title: 'Longest wait',
    description: 'How long it may wait for an event from outside, such as 1d.',
  }),
  phase: z.string().regex(idPattern).optional(),
  onLost: z
    .enum(['retry', 'fail'])
    .optional()
    .meta({ title: 'When its worker is lost', description: 'It is tried again without this.' }),
  timeout: duration
    .optional()
    .meta({ title: 'Time limit', description: 'The longest that one try may take, such as 5m.' }),
  estimate: duration.optional().describe('How long it takes, until there is history.'),
  priority: z
    .number()
    .int()
    .min(0)
    .max(9)
    .optional()
    .describe('0 to 9: which of the nodes that are ready starts first.'),
  allowFailure: z.boolean().optional().describe('The run goes on and may complete when this node fails.'),
  finally: z
    .boolean()
    .optional()
    .meta({ title: 'Runs at the end', description: 'After the run has ended, however it ended.' }),
  forEach: forEachSchema.optional(),
  retry: retrySchema.optional(),
  resources: z
    .strictObject({
      cpu: z.number().min(0).max(10_000).optional().meta({ title: 'CPU', description: 'Cores.' }),
      memory: z
        .string()
        .min(1)
        .max(40)
        .optional()
        .meta({ description: memoryHint, examples: memoryExamples }),
      gpu: z
        .number()
        .min(0)
        .max(1_000)
        .optional()
        .meta({ title: 'GPU', description: 'How many; a part of one is a fraction.' }),
      pools: z
        .record(z.string().max(limits.nameLength), z.number().min(0).max(1_000_000))
        .refine((pools) => Object.keys(pools).length <= limits.pools, `at most ${limits.pools} pools`)
        .optional()
        .meta({
          title: 'Named pools',
          description: 'How much each attempt holds of pools that an admin made.',
        }),
    })
    .optional()
    .meta({ description: 'What each attempt holds while it works. It waits until all of it is free.' }),
  risk: z
    .strictObject({
      complexity: fraction.optional().meta({ description: 'How hard it is to get right, 0 to 1.' }),
      impact: fraction.optional().meta({ description: 'How much breaks when it fails, 0 to 1.' }),
    })
    .optional()
    .meta({
      description:
        'A node of more risk goes first among those of its run, and waits longer between risk-adaptive retries.',
    }),
  breaker: z
    .strictObject({
      key: shortText,
      threshold: z.number().int().min(1).max(10_000).optional(),
      openFor: duration.optional(),
      halfOpenCalls: z.number().int().min(1).max(1_000).optional(),
      whenOpen: z.enum(['wait', 'fail']).optional(),
    })
    .optional(),
  workerGroup: shortText.optional().meta({
    title: 'Worker group',
    description: 'Whose pools of slots, cpu, memory and gpu it uses.',
  }),
  workspace: z
    .strictObject({
      repository: shortText,
      branch: shortText,
      readOnly: z.boolean().optional(),
      prefix: z.string().max(1_000).optional(),
      trustSerial: z.boolean().optional(),
    })
    .optional(),
  rollback: rollbackSchema.optional(),
})

const positionSchema = z.strictObject({ x: z.number(), y: z.number() })

const noteSchema = z.strictObject({
  id: z.string().min(1).max(64),
  text: z.string().max(limits.noteLength),
  x: z.number(),
  y: z.number(),
  width: z.number().min(0).optional(),
  height: z.number().min(0).optional(),
  color: z.string().max(40).optional(),
})

/**
 * A rehearsal that is stored as a test case. What a plan may say, and which words of states there are, is known where it is
 * rehearsed: here it is a value within bounds, and what cannot be rehearsed fails as a case.
 */
const rehearsalSchema = z.strictObject({
  name: name.describe('What it shows, in a sentence: when extract fails, nothing is published.'),
  plan: z
    .record(z.string(), json)
    .refine(
      (plan) => JSON.stringify(plan).length <= limits.planLength,
      `at most ${limits.planLength} characters as JSON`,
    )
    .describe('What the world around the run does: inputs, slots, nodes, approvals, events, cancel.'),
  expect: z
    .strictObject({
      status: shortText.optional().describe('The state of the run, such as failed.'),
      nodes: bounded(z.record(z.string(), shortText), limits.nodes, 'nodes')
        .optional()
        .describe('The states of nodes, by their ids.'),
    })
    .describe('What it comes to. What is not named may come as it likes.'),
})

/** Everything around the nodes; validated on its own so that one broken node does not hide the others. */
export const pipelineFields = {
  schemaVersion: z.literal(1).optional(),
  id: z.string(),
  name: name.optional(),
  description: description.optional(),
  labels: labels.optional(),
  inputs: bounded(z.record(variableName, inputDefinitionSchema), limits.inputs, 'inputs').optional(),
  outputs: bounded(z.record(variableName, outputDefinitionSchema), limits.outputs, 'outputs').optional(),
  triggers: z.array(triggerSchema).max(limits.triggers).optional(),
  policy: policySchema.optional(),
  phases: z.array(z.string().regex(idPattern)).max(limits.phases).optional(),
  verify: z.array(checkSchema).max(limits.checks).optional().meta({ title: 'Checks' }),
  layout: z.record(z.string(), positionSchema).optional(),
  notes: z.array(noteSchema).max(limits.notes).optional(),
  rehearsals: z
    .array(rehearsalSchema)
    .max(limits.rehearsals)
    .optional()
    .describe('Test cases: what a run comes to in worlds that are planned.'),
}

export const pipelineDefinitionSchema = z.strictObject({
  ...pipelineFields,
  nodes: z.array(nodeDefinitionSchema).min(1).max(limits.nodes),
})

export type InputDefinition = z.infer<typeof inputDefinitionSchema>
export type OutputDefinition = z.infer<typeof outputDefinitionSchema>
export type TriggerDefinition = z.infer<typeof triggerSchema>
export type PolicyDefinition = z.infer<typeof policySchema>
export type NodeDefinition = z.infer<typeof nodeDefinitionSchema>
export type NoteDefinition = z.infer<typeof noteSchema>
export type Position = z.infer<typeof positionSchema>
export type PipelineDefinition = z.infer<typeof pipelineDefinitionSchema>
