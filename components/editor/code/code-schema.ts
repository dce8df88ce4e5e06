import { z } from 'zod'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition/definition'
import { isRecord } from '@/core/pipeline/json'
import { taskCatalog } from '@/tasks/contracts'
import type { CodePlace } from './code-place'

/** What the schemas of definition and tasks allow at a position of the code. Pure. */

/** As much of JSON Schema as is read here. */
type Schema = { readonly [key: string]: unknown }

export type Offer = {
  readonly label: string
  /** What it is, in a word: a type, or what it means. */
  readonly detail: string
  readonly info: string
  /** What kind of value a key has; `none` for an entry that is not a key. */
  readonly holds: 'object' | 'list' | 'value' | 'none'
  readonly required: boolean
}

const toSchema = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })

let whole: Schema | null = null
const definitionSchema = (): Schema => (whole ??= toSchema(pipelineDefinitionSchema))
const inputs = new Map<string, Schema | null>()

function inputOf(task: string): Schema | null {
  const known = inputs.get(task)
  if (known !== undefined) return known
  const contract = taskCatalog.get(task)
  const schema = contract === undefined ? null : toSchema(contract.input)
  inputs.set(task, schema)
  return schema
}

/** A schema and, where it is one of several, each of them. */
function formsOf(schema: unknown): Schema[] {
  if (!isRecord(schema)) return []
  const several = [schema['anyOf'], schema['oneOf'], schema['allOf']].filter(Array.isArray).flat()
  return several.length === 0 ? [schema] : [schema, ...several.flatMap(formsOf)]
}

function inside(schemas: readonly Schema[], key: string | number): Schema[] {
  return schemas.flatMap((schema) => {
    if (typeof key === 'number') return formsOf(schema['items'])
    const properties = schema['properties']
    if (isRecord(properties) && Object.hasOwn(properties, key)) return formsOf(properties[key])
    return formsOf(schema['additionalProperties'])
  })
}

/** The schemas of the object in which a place lies: more than one where it may be one of several. */
function schemasAt({ path, around }: Pick<CodePlace, 'path' | 'around'>): Schema[] {
  let at = formsOf(definitionSchema())
  for (const [index, key] of path.entries()) {
    at = inside(at, key)
    // The schema of the inputs depends on the task, which is a key beside them.
    const beside = around[path.length - index]
    if (key === 'inputBindings') at = formsOf(inputOf(beside?.get('task') ?? ''))
  }
  return at
}

const propertiesOf = (schema: Schema): [string, unknown][] =>
  isRecord(schema['properties']) ? Object.entries(schema['properties']) : []

const isRequired = (schema: Schema, key: string): boolean =>
  Array.isArray(schema['required']) && schema['required'].includes(key)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function typeOf(schema: unknown): { detail: string; holds: Offer['holds'] } {
  const types = new Set<string>()
  for (const form of formsOf(schema)) {
    if (Array.isArray(form['enum'])) for (const value of form['enum']) types.add(String(value))
    else if ('const' in form) types.add(String(form['const']))
    else if (typeof form['type'] === 'string') types.add(form['type'] === 'array' ? 'list' : form['type'])
  }
  const words = [...types]
  const holds =
    words.length !== 1 ? 'value' : words[0] === 'object' || words[0] === 'list' ? words[0] : 'value'
  return { detail: words.slice(0, 4).join(' | '), holds }
}

/** The keys that are allowed here and not used yet. */
export function keysAt(place: CodePlace): Offer[] {
  const taken = place.around[0]
  const offers = new Map<string, Offer>()
  for (const schema of schemasAt(place)) {
    for (const [label, inner] of propertiesOf(schema)) {
      if ((taken?.has(label) && label !== place.typed) || offers.has(label)) continue
      const required = isRequired(schema, label)
      offers.set(label, { label, ...typeOf(inner), info: infoOf(inner), required })
    }
  }
  return [...offers.values()]
}

/** The values that a schema lists, for the key at a place. */
export function valuesAt(place: CodePlace): Offer[] {
  const schemas = place.key === null ? schemasAt(place) : inside(schemasAt(place), place.key)
  const values = schemas.flatMap((schema): unknown[] => {
    if (Array.isArray(schema['enum'])) return schema['enum']
    if ('const' in schema) return [schema['const']]
    return schema['type'] === 'boolean' ? [true, false] : []
  })
  return [...new Set(values.map(String))].map((label) => ({
    label,
    detail: '',
    info: '',
    holds: 'none',
    required: false,
  }))
}

/** What is known of a key at a place: its type and what it is for. */
export function aboutKey(
  place: Pick<CodePlace, 'path' | 'around'>,
  key: string,
): { detail: string; info: string } | null {
  const found = schemasAt(place).flatMap((schema) => propertiesOf(schema).filter(([label]) => label === key))
  const [first] = found
  return first === undefined ? null : { detail: typeOf(first[1]).detail, info: infoOf(first[1]) }
}

const infoOf = (schema: unknown): string =>
  formsOf(schema)
    .map(({ description }) => textOf(description))
    .find((text) => text !== '') ?? ''
