import { z } from 'zod'
import { idHint, idPattern, variableNamePattern } from './definition'
import { quoted } from './inputs'
import { error, withFix, type Issue } from '@/core/pipeline/issue'
import { valueAt } from '@/core/pipeline/json'
import { closest, didYouMean, ourWordFor } from '@/core/pipeline/suggest'

type Path = (string | number)[]

/** Of one schema; a document with more mistakes than that is not read to its end. */
const maxIssues = 500

/** The schema that stands at a path, as far as objects, arrays, records and options lead. */
function schemaAt(schema: unknown, path: readonly PropertyKey[]): unknown {
  let at = unwrapped(schema)
  for (const key of path) {
    if (at instanceof z.ZodObject) at = unwrapped((at.shape as Record<PropertyKey, unknown>)[key])
    else if (at instanceof z.ZodArray) at = unwrapped(at.element)
    else if (at instanceof z.ZodRecord) at = unwrapped(at.valueType)
    else return undefined
  }
  return at
}

function unwrapped(schema: unknown): unknown {
  let at = schema
  for (;;) {
    if (at instanceof z.ZodOptional || at instanceof z.ZodNullable) at = at.unwrap()
    else if (at instanceof z.ZodDefault || at instanceof z.ZodPrefault) at = at.unwrap()
    else if (at instanceof z.ZodPipe) at = at.in
    else return at
  }
}

function knownKeys(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodDiscriminatedUnion) return schema.options.flatMap((option) => knownKeys(option))
  return []
}

/**
 * Issues of a schema in the words of this product: each unknown field is one issue with a suggestion, an absent one is
 * missing, and what is wrong is quoted. `root` is the value that was parsed; `at` is where it stands in the document.
 */
export function issuesOfSchema(
  zodIssues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  root: unknown,
  at: Path = [],
): Issue[] {
  return zodIssues.slice(0, maxIssues).flatMap((issue): Issue[] => {
    const inner = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
    const path = [...at, ...inner]
    const value = valueAt(root, inner)
    const missing = () => [error(path, 'missing_field', `'${path[path.length - 1]}' is missing`)]
    switch (issue.code) {
      case 'unrecognized_keys': {
        const known = knownKeys(schemaAt(schema, inner))
        return issue.keys
          .slice(0, maxIssues)
          .map((key) =>
            error(
              [...path, key],
              'unknown_field',
              `'${key}' is not a field here`,
              ourWordFor(key, known) ?? didYouMean(key, known),
            ),
          )
      }
      case 'invalid_type':
        if (value === undefined) return missing()
        return [
          error(
            path,
            'invalid_type',
            `${quoted(value)} is not ${named(issue.expected)}`,
            hintAt(schema, inner),
          ),
        ]
      case 'invalid_value': {
        if (value === undefined) return missing()
        const allowed = issue.values.map(String)
        const near = typeof value === 'string' ? closest(value, allowed) : null
        const hint = near === null ? `one of ${allowed.join(', ')}` : `did you mean ${near}?`
        return [withFix(error(path, 'invalid_value', `${quoted(value)} is not allowed here`, hint), near)]
      }
      case 'invalid_format':
        return [
          error(
            path,
            'invalid_value',
            value === '' ? emptyMessage(path) : formatMessage(issue, value),
            formatHint(issue, value),
          ),
        ]
      case 'invalid_key':
        return [error(path, 'invalid_id', `'${path[path.length - 1]}' is not a valid name`, nameHint)]
      case 'too_big':
        return [
          error(
            path,
            'too_large',
            `${quoted(value)} is too large: at most ${issue.maximum} ${unit(issue.origin)}`.trimEnd(),
          ),
        ]
      case 'too_small':
        if (issue.origin === 'array' && Array.isArray(value) && value.length === 0)
          return [error(path, 'too_small', emptyMessage(path))]
        if (value === '') return [error(path, 'too_small', emptyMessage(path), hintAt(schema, inner))]
        return [
          error(
            path,
            'too_small',
            `${quoted(value)} is too small: at least ${issue.minimum} ${unit(issue.origin)}`.trimEnd(),
          ),
        ]
      case 'invalid_union':
        return value === undefined ? missing() : issuesOfUnion(issue, path, value)
      case 'custom':
        return value === undefined ? missing() : [error(path, 'invalid_value', issue.message)]
      default:
        if (value === undefined) return missing()
        return [error(path, 'invalid_value', `${quoted(value)} is not allowed here`)]
    }
  })
}

/** An empty text is called empty, because quoting it says nothing. */
function emptyMessage(path: Path): string {
  const last = path[path.length - 1]
  return typeof last === 'string' ? `'${last}' is empty` : 'this is empty'
}

/** What the schema at a place says of itself, for a value of the wrong type. */
function hintAt(schema: unknown, path: Path): string | undefined {
  const at = schemaAt(schema, path)
  return at instanceof z.ZodType ? at.description : undefined
}

/** One issue that names every form that would do; the members of a discriminated union by what distinguishes them. */
function issuesOfUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path, value: unknown): Issue[] {
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : []
  const forms = issue.errors.flatMap((found) =>
    found.flatMap((one) => {
      if (one.path.length > 0) return []
      if (one.code === 'invalid_value') return one.values.map((word) => quoted(word))
      return one.code === 'invalid_type' ? [named(one.expected)] : []
    }),
  )
  const all = [...new Set([...options, ...forms])]
  // Only a text can be mistyped. Of an object no text is made: JSON may have a member 'toString', which is then no function.
  const near = typeof value === 'string' ? didYouMean(value, options) : undefined
  const hint = near ?? (all.length === 0 ? undefined : `one of ${all.join(', ')}`)
  return [error(path, 'invalid_value', `${quoted(value)} is not allowed here`, hint)]
}

export const nameHint = 'letters, digits and underscores, beginning with a letter, at most 63'

/** How a text of a format is written, where the message does not say it. */
function formatHint(
  issue: { message: string; format: string; pattern?: string | undefined },
  value: unknown,
) {
  if (issue.format === 'datetime') return 'write an instant with its zone, such as 2026-01-31T06:00:00Z'
  if (issue.pattern === String(idPattern)) return idHint
  if (issue.pattern === String(variableNamePattern)) return nameHint
  return value === '' && isOwn(issue.message) ? issue.message : undefined
}

function formatMessage(issue: { message: string; format: string }, value: unknown): string {
  return isOwn(issue.message)
    ? `${quoted(value)} is not valid: ${issue.message}`
    : `${quoted(value)} is not a valid ${issue.format === 'regex' ? 'name' : issue.format}`
}

/** Messages of our own schemas begin in lower case; the library's say which expression did not match. */
const isOwn = (message: string): boolean => /^[a-z']/.test(message)

function unit(origin: string): string {
  if (origin === 'string') return 'characters'
  return origin === 'array' ? 'entries' : ''
}

function named(expected: string): string {
  if (expected === 'record') return 'an object'
  if (expected === 'int') return 'a whole number'
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}
