import { cronFault, isTimezone } from './cron'
import type { InputDefinition, PipelineDefinition, TriggerDefinition } from './definition'
import { limits, pipelineFields } from './definition'
import { isRequired, issuesOfValue } from './inputs'
import { append, error, type Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'
import { syntaxIssue } from './node-parts'
import type { SyntaxIssue } from '@/core/pipeline/expression/types'
import { didYouMean, type Nearest } from '@/core/pipeline/suggest'
import {
  compileTemplate,
  containsTemplate,
  isPureExpression,
  templateExpressions,
  type Template,
} from '@/core/pipeline/expression/template'

type TriggerBase = {
  readonly id: string
  /** false: a schedule waits to be switched on, a webhook is refused. */
  readonly enabled: boolean
  /** Values of the pipeline's inputs (kind `map`). */
  readonly inputs: Template
}

export type CronTrigger = TriggerBase & {
  readonly type: 'cron'
  readonly cron: string
  /** IANA; UTC unless the definition says otherwise. */
  readonly timezone: string
  /** What happens to fires that nobody was there for. */
  readonly missed: 'latest' | 'all' | 'none'
}

export type WebhookTrigger = TriggerBase & {
  readonly type: 'webhook'
  /** Name of the secret, without `secret:`. */
  readonly secret: string
  /** How a caller proves to know the secret; null: as a bearer token or by the Standard Webhooks signature. */
  readonly auth: 'bearer' | 'standard' | 'github' | null
}

export type CompiledTrigger = CronTrigger | WebhookTrigger

/** A trigger, ready to use; its definition has been validated. Answers issues when its inputs do not parse. */
export function compileTrigger(
  trigger: TriggerDefinition,
): { ok: true; trigger: CompiledTrigger } | { ok: false; issues: Issue[] } {
  const compiled = compileTemplate(trigger.inputs ?? {})
  if (!compiled.ok)
    return { ok: false, issues: compiled.error.map((issue) => syntaxIssue(issue, ['inputs', ...issue.path])) }
  const base = { id: trigger.id, enabled: trigger.enabled ?? true, inputs: compiled.value }
  if (trigger.type === 'webhook') {
    const secret = trigger.secret.slice('secret:'.length)
    return { ok: true, trigger: { ...base, type: 'webhook', secret, auth: trigger.auth ?? null } }
  }
  const { cron, timezone = 'UTC', missed = 'latest' } = trigger
  return { ok: true, trigger: { ...base, type: 'cron', cron, timezone, missed } }
}

/** The cron triggers of a definition that was validated, for the scheduler. */
export function cronTriggersOf(definition: PipelineDefinition): CronTrigger[] {
  return (definition.triggers ?? []).flatMap((definition) => {
    const result = compileTrigger(definition)
    return result.ok && result.trigger.type === 'cron' ? [result.trigger] : []
  })
}

/** Whether something schedules runs, so that they know `system.scheduled_at` (null in a run that somebody asked for) [G-16]. */
export function hasCronTrigger({ triggers }: { triggers?: unknown }): boolean {
  return Array.isArray(triggers) && triggers.some((trigger) => isRecord(trigger) && trigger.type === 'cron')
}

/** What the inputs of a trigger may read, by its type. */
const namesIn = {
  cron: { roots: ['system'], variables: ['scheduled_at'], locals: [], hint: 'there is system.scheduled_at' },
  webhook: {
    roots: ['headers', 'query'],
    variables: null,
    locals: ['body'],
    hint: 'there are body.…, headers.… and query.…',
  },
} as const

/** Triggers: their ids, times and zones, and that what they give fits the pipeline's inputs. */
export function checkTriggers(input: Record<string, unknown>, nearest: Nearest): Issue[] {
  if (!Array.isArray(input.triggers)) return []
  const declared = declaredInputs(input)
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const [index, raw] of (input.triggers as unknown[]).slice(0, limits.triggers).entries()) {
    const path = ['triggers', index]
    const trigger = readable(raw)
    if (trigger === null) continue
    if (trigger.id !== '' && seen.has(trigger.id))
      issues.push(
        error([...path, 'id'], 'duplicate_trigger_id', `'${trigger.id}' is the id of another trigger`),
      )
    seen.add(trigger.id)
    if (trigger.cron !== '') append(issues, checkTime(trigger, path))
    if (declared !== null) append(issues, checkInputs(trigger, declared, path, nearest))
  }
  return issues
}

/** What of a trigger can be checked, so that all that is wrong is said at once; what its schema refuses is empty. */
type Readable = {
  readonly type: TriggerDefinition['type']
  readonly id: string
  readonly cron: string
  readonly timezone: string | undefined
  readonly inputs: Readonly<Record<string, unknown>>
}

function readable(raw: unknown): Readable | null {
  if (!isRecord(raw) || (raw.type !== 'cron' && raw.type !== 'webhook')) return null
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    type: raw.type,
    id: text(raw.id),
    cron: raw.type === 'cron' ? text(raw.cron) : '',
    timezone: text(raw.timezone) || undefined,
    inputs: isRecord(raw.inputs) ? raw.inputs : {},
  }
}

/** null when they cannot be read; their own issues say why. */
function declaredInputs(input: Record<string, unknown>): ReadonlyMap<string, InputDefinition> | null {
  const parsed = pipelineFields.inputs.safeParse(input.inputs)
  return parsed.success ? new Map(Object.entries(parsed.data ?? {})) : null
}

function checkTime(trigger: Readable, path: (string | number)[]): Issue[] {
  const issues: Issue[] = []
  const fault = cronFault(trigger.cron)
  if (fault !== null) {
    const message = `'${trigger.cron}' is not a time to fire at: ${fault}`
    issues.push(error([...path, 'cron'], 'invalid_cron', message, 'every day at six: 0 6 * * *'))
  }
  if (trigger.timezone !== undefined && !isTimezone(trigger.timezone)) {
    const message = `'${trigger.timezone}' is not a time zone`
    issues.push(
      error([...path, 'timezone'], 'invalid_timezone', message, 'write UTC, or one such as Europe/Berlin'),
    )
  }
  return issues
}

function checkInputs(
  trigger: Readable,
  declared: ReadonlyMap<string, InputDefinition>,
  path: (string | number)[],
  nearest: Nearest,
): Issue[] {
  const issues: Issue[] = []
  const given = trigger.inputs
  for (const [name, value] of Object.entries(given)) {
    const at = [...path, 'inputs', name]
    const definition = declared.get(name)
    if (definition === undefined) {
      const hint = didYouMean(name, declared.keys(), nearest)
      issues.push(error(at, 'unknown_input', `the pipeline has no input '${name}'`, hint))
      continue
    }
    if (!containsTemplate(value)) {
      append(
        issues,
        issuesOfValue(definition, value).map((issue) => ({ ...issue, path: [...at, ...issue.path] })),
      )
    } else if (
      typeof value === 'string' &&
      !isPureExpression(value) &&
      !['string', 'file'].includes(definition.type)
    ) {
      const message = `text with an expression in it is a string, and '${name}' is of type ${definition.type}`
      issues.push(error(at, 'invalid_type', message, 'write one {{ expression }} and nothing else'))
    }
    const compiled = compileTemplate(value)
    if (compiled.ok) append(issues, checkReads(trigger.type, compiled.value, at))
    else
      append(
        issues,
        compiled.error.map((issue) => syntaxIssue(hinted(trigger, issue), [...at, ...issue.path])),
      )
  }
  for (const [name, definition] of declared) {
    if (!isRequired(definition) || Object.hasOwn(given, name)) continue
    const message = `input '${name}' is required, and the trigger does not give it`
    issues.push(error([...path, 'inputs'], 'missing_input', message, `add ${name}, or give it a default`))
  }
  return issues
}

/** What stands alone is read by its fields, and the trigger knows their names. */
function hinted<T extends SyntaxIssue>({ type }: Readable, issue: T): T {
  const alone = namesIn[type].roots.some((root) => issue.message.startsWith(`'${root}' is not a variable`))
  return alone ? { ...issue, hint: `${namesIn[type].hint}; read each value by its name` } : issue
}

function checkReads(type: TriggerDefinition['type'], template: Template, path: (string | number)[]): Issue[] {
  const known: { roots: readonly string[]; variables: readonly string[] | null; locals: readonly string[] } =
    namesIn[type]
  const unknown = templateExpressions(template).flatMap(({ reads, locals }) => [
    ...locals.filter((local) => !known.locals.includes(local)),
    ...reads
      .filter(
        ({ root, variable }) =>
          !known.roots.includes(root) || (known.variables !== null && !known.variables.includes(variable)),
      )
      .map(({ name }) => name),
  ])
  return unknown.map((name) =>
    error(
      path,
      'unknown_variable',
      `'${name}' is not known where a ${type} trigger fires`,
      namesIn[type].hint,
    ),
  )
}
