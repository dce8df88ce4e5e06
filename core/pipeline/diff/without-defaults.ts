import { defaultPasses, defaultPriority, finallyTimeoutMs } from '@/core/pipeline/definition/compile'
import type {
  InputDefinition,
  NodeDefinition,
  PipelineDefinition,
  TriggerDefinition,
} from '@/core/pipeline/definition/definition'
import { formatDuration, parseDuration } from '@/core/pipeline/duration'
import { isRecord } from '@/core/pipeline/json'
import { sameJson } from '@/core/pipeline/match'
import { defaultDelayMs, defaultJitter, defaultMaxDelayMs } from '@/core/pipeline/definition/node-parts'

/**
 * A definition without what says nothing: defaults that are written out, empty objects and lists where none is the same, and
 * durations in their shortest form. Two that are equal afterwards compile to the same pipeline.
 */
export function withoutDefaults(definition: PipelineDefinition): PipelineDefinition {
  const { policy, inputs, outputs, triggers } = definition
  return {
    ...without(definition, {
      schemaVersion: 1,
      labels: {},
      inputs: {},
      outputs: {},
      triggers: [],
      phases: [],
      verify: [],
      layout: {},
      notes: [],
      rehearsals: [],
    }),
    ...(policy && part('policy', plainPolicy(policy))),
    ...(inputs && part('inputs', mapped(inputs, plainInput))),
    ...(outputs &&
      part(
        'outputs',
        mapped(outputs, (output) => without(output, { required: false })),
      )),
    ...(triggers?.length && { triggers: triggers.map(plainTrigger) }),
    nodes: definition.nodes.map(plainNode),
  }
}

const policyDefaults = { failFast: false, priority: defaultPriority, whenFull: 'queue' }

function plainPolicy(policy: NonNullable<PipelineDefinition['policy']>) {
  const { rollback } = policy
  return {
    ...without(durations(policy, ['timeout']), policyDefaults),
    ...(rollback && {
      rollback: without(
        { ...rollback, on: [rollback.on].flat().toSorted() },
        { maxAttempts: defaultPasses, scope: 'execution' },
      ),
    }),
  }
}

function plainInput(input: InputDefinition): InputDefinition {
  // With a default it does not matter whether it is required.
  return without(input, { required: input.default === undefined ? true : input.required })
}

function plainTrigger(trigger: TriggerDefinition): TriggerDefinition {
  return without(trigger, { enabled: true, inputs: {}, timezone: 'UTC', missed: 'latest' })
}

function plainNode(node: NodeDefinition): NodeDefinition {
  const { retry, forEach, risk, rollback } = node
  return {
    ...without(durations(node, ['timeout', 'startTimeout', 'estimate']), {
      priority: 0,
      allowFailure: false,
      finally: false,
      onLost: 'retry',
      inputBindings: {},
      ...(node.finally && { timeout: formatDuration(finallyTimeoutMs) }),
    }),
    ...(retry && { retry: plainRetry(retry) }),
    ...(rollback && {
      rollback: {
        ...without(durations(rollback, ['timeout']), { inputBindings: {} }),
        ...(rollback.retry && { retry: plainRetry(rollback.retry) }),
      },
    }),
    ...(forEach && { forEach: without(forEach, { allowFailures: false }) }),
    ...(risk && part('risk', without(risk, { complexity: 0, impact: 0 }))),
  }
}

type Retry = NonNullable<NodeDefinition['retry']>

function plainRetry(retry: Retry): Retry {
  const delayMs = retry.delay === undefined ? defaultDelayMs : (parseDuration(retry.delay) ?? defaultDelayMs)
  return without(durations(retry, ['delay', 'maxDelay']), {
    strategy: 'exponential',
    delay: formatDuration(defaultDelayMs),
    maxDelay: formatDuration(Math.max(defaultMaxDelayMs, delayMs)),
    jitter: defaultJitter,
  })
}

/** `value` without the members that are what they would be anyway. */
function without<T extends object>(value: T, defaults: Readonly<Record<string, unknown>>): T {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([key, member]) =>
        member !== undefined && !(Object.hasOwn(defaults, key) && sameJson(member, defaults[key])),
    ),
  ) as T
}

function durations<T extends object>(value: T, fields: readonly (keyof T & string)[]): T {
  const formatted = fields.flatMap((field): [string, string][] => {
    const ms = parseDuration(String(value[field] ?? ''))
    return ms === null ? [] : [[field, formatDuration(ms)]]
  })
  return { ...value, ...Object.fromEntries(formatted) }
}

/** A member that is left out when nothing is left of it. */
function part(key: string, value: object): Record<string, unknown> {
  return { [key]: isRecord(value) && Object.keys(value).length === 0 ? undefined : value }
}

function mapped<T>(values: Readonly<Record<string, T>>, plain: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, plain(value)]))
}
