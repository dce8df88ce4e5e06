import { inputDefinitionSchema, type InputDefinition } from '@/core/pipeline/definition/definition'
import type { Json } from '@/core/pipeline/json'
import { readTypedJson } from '@/core/pipeline/json-text'
import { findNumberFault } from '@/core/pipeline/number-text'

/**
 * Converts between what people type and what the API takes. A draft has text (or a tick) for each field; `valuesOf` converts it
 * to values and reports each field that it could not convert. The server validates again: this is for quick feedback, not for safety.
 */

export type FieldDefinition = InputDefinition & { readonly name: string }
export type Draft = ReadonlyMap<string, string | boolean>
export type Problems = ReadonlyMap<string, string>

/** An issue as the API answers it. */
export type WireIssue = {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly hint?: string | undefined
}

/** Fields in the order of the definition. Entries that are no field definition are left out. */
export function fieldsOf(
  definitions: { readonly [name: string]: unknown } | null | undefined,
): FieldDefinition[] {
  if (definitions === null || definitions === undefined) return []
  return Object.entries(definitions).flatMap(([name, definition]) => {
    const parsed = inputDefinitionSchema.safeParse(definition)
    return parsed.success ? [{ ...parsed.data, name }] : []
  })
}

/** Whether the field must be filled in: it has no default and is not `required: false`. */
export function isRequired(field: FieldDefinition): boolean {
  return field.default === undefined && field.required !== false
}

/** The hint below a field: its description and the expected format; '' where there is neither. */
export function hintOf({ description, type }: FieldDefinition): string {
  const form = type === 'object' || type === 'array' ? 'JSON' : type === 'file' ? 'path of a file' : undefined
  return [description, form].filter((part) => part !== undefined && part !== '').join(' · ')
}

function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value, null, 2)
}

/** The draft that a form opens with: defaults, else values given (of an earlier run), else nothing. */
export function initialDraft(
  fields: readonly FieldDefinition[],
  given?: { readonly [name: string]: unknown },
): Draft {
  return new Map(
    fields.map((field): [string, string | boolean] => {
      const value =
        given !== undefined && Object.hasOwn(given, field.name) ? given[field.name] : field.default
      if (field.type === 'boolean' && field.enum === undefined) return [field.name, value === true]
      return [field.name, textOf(value)]
    }),
  )
}

type Converted = { readonly value: Json | undefined } | { readonly problem: string }

function convert(field: FieldDefinition, text: string | boolean): Converted {
  if (typeof text === 'boolean') return { value: text }
  if (text === '') {
    // An empty string is a valid value, but an empty required field was most likely forgotten.
    if (isRequired(field)) return { problem: 'This field is required.' }
    return { value: undefined }
  }
  if (field.enum !== undefined) {
    const option = field.enum.find((each) => String(each) === text)
    return option === undefined ? { problem: 'Choose one of the list.' } : { value: option }
  }
  switch (field.type) {
    case 'number': {
      const value = Number(text.trim())
      if (text.trim() === '' || !Number.isFinite(value))
        return { problem: 'This must be a number, such as 12 or 0.5.' }
      const fault = findNumberFault(text)
      if (fault !== null) return { problem: `${fault.message}.` }
      if (field.minValue !== undefined && value < field.minValue)
        return { problem: `At least ${field.minValue}.` }
      if (field.maxValue !== undefined && value > field.maxValue)
        return { problem: `At most ${field.maxValue}.` }
      return { value }
    }
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { problem: 'This must be true or false.' }
    case 'object':
    case 'array': {
      const read = readTypedJson(text)
      if (!read.ok) return { problem: read.error }
      const { value } = read
      const isArray = Array.isArray(value)
      if (field.type === 'array' && !isArray) return { problem: 'This must be a JSON list: [ … ].' }
      if (field.type === 'object' && (isArray || value === null || typeof value !== 'object'))
        return { problem: 'This must be a JSON object: { … }.' }
      return { value }
    }
    case 'string':
    case 'file': {
      const length = [...text].length
      if (field.minLength !== undefined && length < field.minLength)
        return { problem: `At least ${field.minLength} characters.` }
      if (field.maxLength !== undefined && length > field.maxLength)
        return { problem: `At most ${field.maxLength} characters.` }
      return { value: text }
    }
  }
}

/** The values of a draft, or every problem at once. A field left empty is not sent, so that its default holds. */
export function valuesOf(
  fields: readonly FieldDefinition[],
  draft: Draft,
):
  | { readonly ok: true; readonly values: Record<string, Json> }
  | { readonly ok: false; readonly problems: Problems } {
  const problems = new Map<string, string>()
  const values: [string, Json][] = []
  for (const field of fields) {
    const result = convert(field, draft.get(field.name) ?? '')
    if ('problem' in result) problems.set(field.name, result.problem)
    else if (result.value !== undefined) values.push([field.name, result.value])
  }
  // fromEntries defines own properties, so that a field named `__proto__` stays a field.
  return problems.size > 0 ? { ok: false, problems } : { ok: true, values: Object.fromEntries(values) }
}

/** Sorts the server's issues: those that name a field are shown at it, the others above the form. */
export function issuesByField(
  fields: readonly FieldDefinition[],
  issues: readonly WireIssue[],
): { readonly problems: Problems; readonly others: readonly string[] } {
  const names = new Set(fields.map((field) => field.name))
  const problems = new Map<string, string>()
  const others: string[] = []
  for (const issue of issues) {
    const text = issue.hint === undefined ? issue.message : `${issue.message} (${issue.hint})`
    const name = issue.path.find((part): part is string => typeof part === 'string' && names.has(part))
    if (name === undefined || problems.has(name)) others.push(text)
    else problems.set(name, text)
  }
  return { problems, others }
}
