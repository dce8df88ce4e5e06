import type { InputDefinition } from './definition'
import type { InputType } from './input-types'
import { cutText } from '@/core/pipeline/cut-text'
import { append, error, type Issue } from '@/core/pipeline/issue'
import { isRecord } from '@/core/pipeline/json'
import { compilePattern } from '@/core/pipeline/expression/pattern'
import { didYouMean } from '@/core/pipeline/suggest'

/** Inputs as a definition declares them; also the fields of an approval's form. */
export type InputDefinitions = Readonly<Record<string, InputDefinition>>

export type ResolvedInputs = { ok: true; values: Record<string, unknown> } | { ok: false; issues: Issue[] }

/** Characters of a value times states of its pattern: a second of work would stop everything else meanwhile. */
const maxPatternWork = 20_000_000

/** Whether a value must be given: there is no default, and `required: false` does not say otherwise. */
export function isRequired(definition: InputDefinition): boolean {
  return definition.default === undefined && definition.required !== false
}

/** Whether a value is of a declared type. A file is a reference: an id or path, or an object that holds one. */
export function isOfType(type: InputType, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'object':
      return isRecord(value)
    case 'array':
      return Array.isArray(value)
    case 'file':
      return typeof value === 'string' || isRecord(value)
  }
}

/**
 * What a run sees as `pipeline.input.*`: the given values, defaults for what is absent, null for what is optional.
 * Answers the values, or every issue at once (N-O7, R-83): unknown names, missing values, wrong types, broken rules. Nothing is
 * converted: "5" is not a number. `given` is whatever came in; absent (undefined) is `{}`.
 */
export function resolveInputs(definitions: InputDefinitions, given: unknown): ResolvedInputs {
  if (given !== undefined && !isRecord(given)) {
    return { ok: false, issues: [error([], 'invalid_type', 'inputs must be an object')] }
  }
  const names = Object.keys(definitions)
  const issues: Issue[] = []
  for (const name of Object.keys(given ?? {})) {
    if (!Object.hasOwn(definitions, name)) {
      issues.push(error([name], 'unknown_input', `'${name}' is not an input`, didYouMean(name, names)))
    }
  }
  const values: [string, unknown][] = []
  for (const name of names) {
    const definition = definitions[name]
    if (definition === undefined) continue
    const value = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) {
      if (isRequired(definition)) issues.push(error([name], 'missing_input', `input '${name}' is required`))
      values.push([name, definition.default ?? null])
      continue
    }
    append(
      issues,
      issuesOfValue(definition, value).map((found) => ({ ...found, path: [name, ...found.path] })),
    )
    values.push([name, value])
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, values: Object.fromEntries(values) }
}

/** Everything that is wrong with a value that was given for an input. Paths are relative to the value. */
export function issuesOfValue(definition: InputDefinition, value: unknown): Issue[] {
  if (value === null) {
    if (definition.required === false) return []
    return [
      error(
        [],
        'invalid_type',
        `null is not a ${definition.type}`,
        'leave it out, or declare required: false',
      ),
    ]
  }
  if (!isOfType(definition.type, value)) {
    return [error([], 'invalid_type', `${quoted(value)} is not ${withArticle(definition.type)}`)]
  }
  const issues: Issue[] = []
  const fail = (code: string, message: string) => issues.push(error([], code, message))
  if (definition.enum && !definition.enum.includes(value as string)) {
    fail('not_in_enum', `${quoted(value)} is not one of ${definition.enum.map(quoted).join(', ')}`)
  }
  const length = typeof value === 'string' || Array.isArray(value) ? value.length : null
  if (length !== null && definition.minLength !== undefined && length < definition.minLength) {
    fail('too_short', `it must be at least ${definition.minLength} long, and is ${length}`)
  }
  if (length !== null && definition.maxLength !== undefined && length > definition.maxLength) {
    fail('too_long', `it must be at most ${definition.maxLength} long, and is ${length}`)
  }
  if (typeof value === 'string' && definition.pattern !== undefined) {
    const pattern = compilePattern(definition.pattern)
    if (pattern.ok && value.length * pattern.value.cost > maxPatternWork) {
      fail('too_long', `it is too long to be matched against ${definition.pattern}`)
    } else if (pattern.ok && !pattern.value.test(value)) {
      fail('pattern_mismatch', `${quoted(value)} does not match ${definition.pattern}`)
    }
  }
  if (typeof value === 'number') {
    if (definition.minValue !== undefined && value < definition.minValue) {
      fail('too_small', `${value} is less than ${definition.minValue}`)
    }
    if (definition.maxValue !== undefined && value > definition.maxValue) {
      fail('too_large', `${value} is more than ${definition.maxValue}`)
    }
  }
  return issues
}

/** A value as a message quotes it, cut short. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${cutText(text, 79)}…` : text
}

function withArticle(type: InputType): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/** What is wrong with the declaration of inputs itself (N-O7). Paths are relative to the map. */
export function issuesOfDefinitions(definitions: InputDefinitions): Issue[] {
  const issues: Issue[] = []
  for (const [name, definition] of Object.entries(definitions)) {
    const at = (path: string, code: string, message: string, hint?: string) =>
      issues.push(error([name, path], code, message, hint))
    if (definition.required === true && definition.default !== undefined) {
      at(
        'default',
        'default_on_required',
        `input '${name}' is required and has a default`,
        'drop one of the two',
      )
    }
    if (definition.default !== undefined) {
      for (const found of issuesOfValue(definition, definition.default))
        at('default', found.code, found.message)
    }
    if (definition.pattern !== undefined) {
      const pattern = compilePattern(definition.pattern)
      if (!pattern.ok)
        at('pattern', 'invalid_pattern', `'${definition.pattern}' is not a pattern: ${pattern.error}`)
      else if (definition.type !== 'string')
        at('pattern', 'rule_of_other_type', 'pattern is for strings only')
    }
    const lengths = definition.type === 'string' || definition.type === 'array'
    for (const rule of ['minLength', 'maxLength'] as const) {
      if (definition[rule] !== undefined && !lengths) {
        at(rule, 'rule_of_other_type', `${rule} is for strings and arrays only`)
      }
    }
    for (const rule of ['minValue', 'maxValue'] as const) {
      if (definition[rule] !== undefined && definition.type !== 'number') {
        at(rule, 'rule_of_other_type', `${rule} is for numbers only`)
      }
    }
    for (const [index, option] of (definition.enum ?? []).entries()) {
      if (!isOfType(definition.type, option)) {
        issues.push(
          error(
            [name, 'enum', index],
            'invalid_type',
            `${quoted(option)} is not ${withArticle(definition.type)}`,
          ),
        )
      }
    }
  }
  return issues
}
