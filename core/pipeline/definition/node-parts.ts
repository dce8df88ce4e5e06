import type { NodeDefinition } from './definition'
import type { Demand } from './demand'
import { durationHint, parseDuration } from '@/core/pipeline/duration'
import type { Expression, Reference, SyntaxIssue } from '@/core/pipeline/expression/expression'
import { append, error, type Issue } from '@/core/pipeline/issue'
import type { Result } from '@/core/pipeline/json'
import { readGateText } from '@/core/pipeline/gate/known-gates'
import type { PlacedAtom, StartWhen } from '@/core/pipeline/gate/start-when'
import { readDemands } from './resources'
import { subPipeline, type TaskCatalog, type TaskDescription } from './task-description'
import { compileTemplate, templateExpressions, type Template } from '@/core/pipeline/expression/template'

/** When and how often an attempt is tried again (R-8b). Times in milliseconds. */
export type RetryPolicy = {
  /** Total tries. */
  maxAttempts: number
  strategy: 'fixed' | 'linear' | 'exponential' | 'fibonacci' | 'risk-adaptive'
  delayMs: number
  maxDelayMs: number
  /** Share of the delay, from 0 to 1, by which it is moved at random. */
  jitter: number
  /** From 0 to 1: how much longer a try waits that is adapted to it. */
  risk: number
  /** Sees the locals `error` and `attempts`; null: always. */
  when: Expression | null
}

/** A node that runs once for each item of a list. */
export type ForEach = {
  items: Template
  /** Most items at once; null: as many as there are slots, and at most a thousand. */
  concurrency: number | null
  allowFailures: boolean
}

export const defaultDelayMs = 2_000
export const defaultMaxDelayMs = 30_000
export const defaultJitter = 0.2

/** A node's texts, parsed. What could not be parsed is absent, and an issue says so with a path inside the node. */
export type NodeParts = {
  gate: StartWhen | null
  gateAtoms: readonly PlacedAtom[]
  /** Event types of the gate, each once, in the order of the text. */
  gateEvents: readonly string[]
  /** Those without `!`. */
  awaited: ReadonlySet<string>
  /** Whoever publishes the events of the gate or has what its conditions read. */
  gateSources: ReadonlySet<string>
  /** Expressions of the gate's conditions. */
  conditions: readonly Expression[]
  /** Of kind `map`, one entry for each binding that could be parsed. */
  bindings: Extract<Template, { kind: 'map' }>
  outputVariables: ReadonlyMap<string, Template> | null
  /** Every variable that its gate, bindings and outputs may read. */
  reads: readonly Reference[]
  retry: RetryPolicy | null
  forEach: ForEach | null
  timeoutMs: number | null
  startTimeoutMs: number | null
  estimateMs: number | null
  /** What undoes it; null: nothing is said. */
  compensation: CompensationParts | null
  /** What an attempt holds of the pools while it is in flight. */
  demands: readonly Demand[]
  issues: Issue[]
}

/** The parsed texts of a compensation. What it reads waits for nobody: it runs when everything has ended. */
export type CompensationParts = Pick<NodeParts, 'bindings' | 'reads' | 'retry' | 'timeoutMs'>

/** An issue of an expression, with its path in the document; the message has the position. */
export function syntaxIssue({ message, hint, position }: SyntaxIssue, path: (string | number)[]): Issue {
  const place = position === undefined ? '' : ` (at character ${position + 1})`
  return error(path, 'invalid_expression', `${message}${place}`, hint)
}

/** Templates by name; members of `verbatim` are literals whatever stands in them. What does not parse is left out. */
function compileEntries(
  field: string,
  values: Readonly<Record<string, unknown>>,
  issues: Issue[],
  verbatim: readonly string[] = [],
): Map<string, Template> {
  const entries = new Map<string, Template>()
  for (const [name, value] of Object.entries(values)) {
    if (verbatim.includes(name)) {
      entries.set(name, { kind: 'literal', value })
      continue
    }
    const compiled = compileTemplate(value)
    if (compiled.ok) entries.set(name, compiled.value)
    else for (const issue of compiled.error) issues.push(syntaxIssue(issue, [field, name, ...issue.path]))
  }
  return entries
}

const nothing: ReadonlySet<string> = new Set()

/** Parses everything in a node that has a syntax of its own. Takes nodes of which parts are missing. */
export function readNode(
  node: Partial<NodeDefinition>,
  contract: TaskDescription | undefined,
  compensationContract: TaskDescription | undefined,
): NodeParts {
  const issues: Issue[] = []
  const durationAt = (path: string[], text: string | undefined): number | null => {
    if (text === undefined) return null
    const ms = parseDuration(text)
    if (ms === null) {
      issues.push(error(path, 'invalid_duration', `'${text}' is not a duration`, durationHint))
    }
    return ms
  }
  const duration = (field: 'timeout' | 'startTimeout' | 'estimate') => durationAt([field], node[field])
  const parsed = node.startWhen === undefined ? null : readGateText(node.startWhen)
  if (parsed && !parsed.ok) issues.push(syntaxIssue(parsed.error, ['startWhen']))
  const known = parsed?.ok ? parsed.value : null
  const bindings: NodeParts['bindings'] = {
    kind: 'map',
    entries: compileEntries('inputBindings', node.inputBindings ?? {}, issues, contract?.literalInputs),
  }
  const outputVariables =
    node.outputVariables === undefined
      ? null
      : compileEntries('outputVariables', node.outputVariables, issues)
  const retry = readRetry(node, durationAt, issues)
  const compensation = readCompensation(node, durationAt, compensationContract, issues)
  const forEach = readForEach(node.forEach, issues)
  const conditions = known?.conditions ?? []
  const expressions = [...conditions]
  templateExpressions(bindings, expressions)
  for (const template of outputVariables?.values() ?? []) templateExpressions(template, expressions)
  if (forEach !== null) templateExpressions(forEach.items, expressions)
  if (retry?.when) expressions.push(retry.when)
  return {
    gate: known?.gate ?? null,
    gateAtoms: known?.atoms ?? [],
    gateEvents: known?.events ?? [],
    awaited: known?.awaited ?? nothing,
    gateSources: known?.sources ?? nothing,
    conditions,
    bindings,
    outputVariables,
    reads: expressions.flatMap(({ reads }) => reads),
    retry,
    forEach,
    timeoutMs: duration('timeout'),
    startTimeoutMs: duration('startTimeout'),
    estimateMs: duration('estimate'),
    compensation,
    demands: readDemands(node, contract, issues),
    issues,
  }
}

/** Weights of what an author declares of a node's risk [H-3]; what is measured of it has no part in retries. */
const complexityWeight = 0.3
const impactWeight = 0.1

type DurationAt = (path: string[], text: string | undefined) => number | null

function readCompensation(
  { rollback, risk }: Partial<NodeDefinition>,
  durationAt: DurationAt,
  contract: TaskDescription | undefined,
  issues: Issue[],
): CompensationParts | null {
  if (rollback?.task === undefined) return null
  const own: Issue[] = []
  const entries = compileEntries('inputBindings', rollback.inputBindings ?? {}, own, contract?.literalInputs)
  const bindings = { kind: 'map' as const, entries }
  const inside: DurationAt = (path, text) => durationAt(['rollback', ...path], text)
  const retry = readRetry({ retry: rollback.retry, risk }, inside, own)
  append(
    issues,
    own.map((issue) => ({ ...issue, path: ['rollback', ...issue.path] })),
  )
  const expressions = [...templateExpressions(bindings), ...(retry?.when ? [retry.when] : [])]
  const reads = expressions.flatMap(({ reads: own }) => own)
  return { bindings, reads, retry, timeoutMs: inside(['timeout'], rollback.timeout) }
}

function readRetry(
  { retry, risk }: Pick<Partial<NodeDefinition>, 'risk'> & { retry?: NodeDefinition['retry'] | undefined },
  durationAt: DurationAt,
  issues: Issue[],
): RetryPolicy | null {
  if (retry === undefined) return null
  const when =
    retry.when === undefined
      ? null
      : readCondition(retry.when, ['retry', 'when'], "{{ error.kind != 'invalid_input' }}")
  if (when?.ok === false) append(issues, when.error)
  const delayMs = durationAt(['retry', 'delay'], retry.delay) ?? defaultDelayMs
  const maxDelayMs = durationAt(['retry', 'maxDelay'], retry.maxDelay) ?? Math.max(defaultMaxDelayMs, delayMs)
  if (maxDelayMs < delayMs) {
    issues.push(error(['retry', 'maxDelay'], 'invalid_value', 'maxDelay is less than delay'))
  }
  return {
    maxAttempts: retry.maxAttempts,
    strategy: retry.strategy ?? 'exponential',
    delayMs,
    maxDelayMs,
    jitter: retry.jitter ?? defaultJitter,
    risk: complexityWeight * (risk?.complexity ?? 0) + impactWeight * (risk?.impact ?? 0),
    when: when?.ok ? when.value : null,
  }
}

/** The one expression in `{{ }}` that a condition is; `example` shows how it could be written. */
export function readCondition(
  text: string,
  path: (string | number)[],
  example: string,
): Result<Expression, Issue[]> {
  const compiled = compileTemplate(text)
  if (!compiled.ok)
    return { ok: false, error: compiled.error.map((issue) => syntaxIssue(issue, [...path, ...issue.path])) }
  if (compiled.value.kind === 'expression') return { ok: true, value: compiled.value.expression }
  const message = 'a condition in {{ }} is expected'
  return { ok: false, error: [error(path, 'invalid_expression', message, `write ${example}`)] }
}

function readForEach(forEach: NodeDefinition['forEach'], issues: Issue[]): ForEach | null {
  if (forEach === undefined) return null
  const items = compileTemplate(forEach.items)
  if (!items.ok) {
    for (const issue of items.error) issues.push(syntaxIssue(issue, ['forEach', 'items', ...issue.path]))
    return null
  }
  const { kind } = items.value
  const list =
    kind === 'expression' || kind === 'list' || (kind === 'literal' && Array.isArray(items.value.value))
  if (!list)
    issues.push(
      error(
        ['forEach', 'items'],
        'invalid_type',
        'items must be a list, or one {{ expression }} that gives one',
      ),
    )
  return {
    items: items.value,
    concurrency: forEach.concurrency ?? null,
    allowFailures: forEach.allowFailures ?? false,
  }
}

/** What the node runs: a task, or another pipeline; undefined when its task is not known. */
export function contractOf(node: Partial<NodeDefinition>, tasks: TaskCatalog): TaskDescription | undefined {
  if (node.task !== undefined) return tasks.get(node.task)
  return node.pipeline === undefined ? undefined : subPipeline
}

/** What its compensation runs; undefined when there is none, or its task is not known. */
export function compensationOf(
  { rollback }: Partial<NodeDefinition>,
  tasks: TaskCatalog,
): TaskDescription | undefined {
  return rollback?.task === undefined ? undefined : tasks.get(rollback.task)
}

/** Names of the variables that a node makes, or null when its task is not known. */
export function outputNamesOf(
  node: Partial<NodeDefinition>,
  contract: TaskDescription | undefined,
): readonly string[] | null {
  const own =
    node.outputVariables !== undefined
      ? Object.keys(node.outputVariables)
      : contract === undefined || contract === subPipeline
        ? null
        : contract.openOutputs
          ? Object.keys(node.inputBindings ?? {})
          : Object.keys(contract.output)
  return own !== null && node.forEach?.allowFailures ? [...own, 'item_errors'] : own
}
