import { append, error, type Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'

type Path = (string | number)[]

/** What stands before `secret:` in a text that means a secret: nothing, a space, a quote, or a sign of a header or an address. */
const inText = /(?:(?<![\w.(){}[\]-])|(?<=\$\{))secret:[A-Za-z_][\w-]*/
/** In code a `secret:` may be a member of an object: it means a secret at the end of a text in quotes. */
const inCode = /(["'`])(?:[^"'`\n]*[ =:])?(secret:[A-Za-z_][\w-]*)\1/

/** Members of a node that are for people, or are checked by themselves. */
const forPeople: ReadonlySet<string> = new Set(['id', 'name', 'description'])

/**
 * Every `secret:NAME` of a node. No task reads secrets yet: the text itself would be sent, by a pipeline that seems to use a secret.
 * `code` names the bindings that are code.
 */
export function secretsInNode(node: unknown, code: readonly string[] = []): Issue[] {
  if (!isRecord(node)) return []
  const issues: Issue[] = []
  for (const [field, value] of Object.entries(node)) {
    if (forPeople.has(field)) continue
    if (field !== 'inputBindings' || !isRecord(value)) append(issues, secretsIn(value, [field], inText))
    else
      for (const [name, binding] of Object.entries(value))
        append(issues, secretsIn(binding, [field, name], code.includes(name) ? inCode : inText))
  }
  return issues
}

/** The same of what stands around the nodes. The secret of a webhook is the one place that is read. */
export function secretsAround(definition: Readonly<Record<string, unknown>>): Issue[] {
  const { inputs, outputs, triggers, verify, labels } = definition
  const issues: Issue[] = []
  append(issues, secretsIn(labels, ['labels'], inText))
  for (const [name, input] of members(inputs))
    for (const field of ['default', 'enum'])
      append(issues, secretsIn(input[field], ['inputs', name, field], inText))
  for (const [name, output] of members(outputs))
    append(issues, secretsIn(output.value, ['outputs', name, 'value'], inText))
  if (Array.isArray(verify))
    for (const [index, one] of verify.entries())
      if (isRecord(one)) append(issues, secretsIn(one.check, ['verify', index, 'check'], inText))
  if (Array.isArray(triggers))
    for (const [index, trigger] of triggers.entries())
      if (isRecord(trigger)) append(issues, secretsIn(trigger.inputs, ['triggers', index, 'inputs'], inText))
  return issues
}

/** A value that is the name of a secret and nothing else. */
const alone = /^secret:[A-Za-z_][\w-]*$/

/** The same of values that a person gives for the inputs of a run: there a text may speak of secrets, and not be one. */
export function secretsInInputs(inputs: unknown): Issue[] {
  return [...secretsIn(inputs, ['inputs'], alone)]
}

function members(value: unknown): [string, Record<string, unknown>][] {
  return isRecord(value)
    ? Object.entries(value).flatMap(([key, member]) => (isRecord(member) ? [[key, member]] : []))
    : []
}

function* secretsIn(value: unknown, path: Path, pattern: RegExp): Generator<Issue> {
  if (typeof value === 'string') {
    if (!value.includes('secret:')) return
    const found = pattern.exec(value)
    if (found) yield refusal(found[2] ?? found[0], path)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value))
      yield* secretsIn(member, [...path, Array.isArray(value) ? Number(key) : key], pattern)
  }
}

function refusal(name: string, path: Path): Issue {
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name
  return error(
    path,
    'not_supported_yet',
    `'${shown}' would be sent as this text: no task reads secrets yet`,
    'remove it; secrets are read as the secret of a webhook trigger only',
  )
}
