import { z } from 'zod'

/**
 * What a form draws for a value, read from the JSON Schema that zod makes of a contract. A form validates nothing itself: the contract
 * does, and its issues are shown at the fields.
 */

export type Language = 'sql' | 'javascript' | 'shell' | 'json'

export type Shape =
  /** `long`: of several lines. */
  | {
      readonly kind: 'text'
      readonly long: boolean
      readonly language: Language | null
      /** What it often is. */
      readonly examples: readonly string[]
    }
  | {
      readonly kind: 'number'
      readonly whole: boolean
      readonly least: number | null
      readonly most: number | null
    }
  /** `absent`: the meaning of no value. */
  | { readonly kind: 'boolean'; readonly absent: boolean }
  | {
      readonly kind: 'choice'
      readonly options: readonly Scalar[]
      /** Which of them no value means. */
      readonly absent?: Scalar
    }
  /** A text, a number or a boolean: whatever it reads as. */
  | { readonly kind: 'scalar' }
  | { readonly kind: 'list'; readonly item: Shape }
  /** Values by names that the author chooses. */
  | { readonly kind: 'map'; readonly value: Shape }
  | { readonly kind: 'object'; readonly fields: readonly FieldShape[] }
  /** One of several shapes; the value decides which. */
  | { readonly kind: 'either'; readonly options: readonly Option[] }
  /** Any JSON. */
  | { readonly kind: 'any' }

type Scalar = string | number | boolean

export type Option = { readonly title: string; readonly shape: Shape }

export type FieldShape = {
  readonly name: string
  readonly title: string
  readonly hint: string | null
  readonly required: boolean
  readonly shape: Shape
}

type Schema = { readonly [keyword: string]: unknown }

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const known = new WeakMap<z.ZodType, Shape>()

/** The shape of what a schema takes. */
export function shapeOf(schema: z.ZodType): Shape {
  const before = known.get(schema)
  if (before !== undefined) return before
  const shape = read(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  known.set(schema, shape)
  return shape
}

/** `maxRows` and `max_rows` in words: Max rows. */
export function inWords(name: string): string {
  const words = name
    .replace(/_+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_all, before: string, next: string) => `${before} ${next.toLowerCase()}`)
    .trim()
  return words === '' ? name : words[0]!.toUpperCase() + words.slice(1)
}

const languages: ReadonlyMap<unknown, Language> = new Map([
  ['application/sql', 'sql'],
  ['text/javascript', 'javascript'],
  ['application/x-sh', 'shell'],
  ['application/json', 'json'],
])

/** The longest text that is asked for in one line. */
const longestLine = 8_000

function read(schema: unknown): Shape {
  if (!isSchema(schema) || '$ref' in schema) return { kind: 'any' }
  if (schema['contentMediaType'] === 'application/json') return { kind: 'any' }
  const forms = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(forms)) return readEither(forms, schema)
  if ('const' in schema) return { kind: 'choice', options: [schema['const'] as Scalar] }
  if (Array.isArray(schema['enum']))
    return {
      kind: 'choice',
      options: schema['enum'] as Scalar[],
      ...('default' in schema ? { absent: schema['default'] as Scalar } : {}),
    }
  if (Array.isArray(schema['type'])) return { kind: 'scalar' }
  switch (schema['type']) {
    case 'string':
      return textOf(schema)
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        whole: schema['type'] === 'integer',
        least: numberIn(schema['minimum']),
        most: numberIn(schema['maximum']),
      }
    case 'boolean':
      return { kind: 'boolean', absent: schema['default'] === true }
    case 'array':
      return { kind: 'list', item: read(schema['items']) }
    case 'object':
      return readObject(schema)
    default:
      return { kind: 'any' }
  }
}

const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null

function textOf(schema: Schema): Shape {
  const media = schema['contentMediaType']
  const most = schema['maxLength']
  return {
    kind: 'text',
    long: media !== undefined || (typeof most === 'number' && most > longestLine),
    language: languages.get(media) ?? null,
    examples: Array.isArray(schema['examples']) ? schema['examples'].map(String) : [],
  }
}

function readObject(schema: Schema): Shape {
  const properties = schema['properties']
  if (!isSchema(properties)) return { kind: 'map', value: read(schema['additionalProperties']) }
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return {
    kind: 'object',
    fields: Object.entries(properties).map(([name, property]) => ({
      name,
      title: isSchema(property) && typeof property['title'] === 'string' ? property['title'] : inWords(name),
      hint:
        isSchema(property) && typeof property['description'] === 'string' ? property['description'] : null,
      required: required.includes(name),
      shape: read(property),
    })),
  }
}

function readEither(forms: readonly unknown[], whole: Schema): Shape {
  // An author writes a file as text; an expression gives anything else, such as a list of files.
  const written = forms.filter((form) => !(isSchema(form) && form['format'] === 'files'))
  const plain = written.map(read).filter((shape) => !isReference(shape))
  if (plain.some(({ kind }) => kind === 'any')) return { kind: 'any' }
  if (plain.every(isScalar)) {
    const only = plain.length === 1 ? plain[0] : undefined
    if (only !== undefined) return only
    const long = whole['contentMediaType'] !== undefined
    // What is printed anyway is written as text.
    return long ? { kind: 'text', long, language: null, examples: [] } : { kind: 'scalar' }
  }
  return { kind: 'either', options: plain.map((shape) => ({ title: titleOf(shape), shape })) }
}

const isScalar = ({ kind }: Shape): boolean =>
  ['text', 'number', 'boolean', 'choice', 'scalar'].includes(kind)

const isReference = (shape: Shape): boolean =>
  shape.kind === 'object' && shape.fields.length === 1 && shape.fields[0]?.name === 'artifact_id'

function titleOf(shape: Shape): string {
  switch (shape.kind) {
    case 'list':
      return 'List'
    case 'map':
      return 'By name'
    case 'object': {
      const constant = shape.fields.find(({ shape: { kind } }) => kind === 'choice')
      return constant?.shape.kind === 'choice' && constant.shape.options.length === 1
        ? inWords(String(constant.shape.options[0]))
        : 'Fields'
    }
    case 'text':
      return 'Text'
    default:
      return 'Value'
  }
}

const byType: ReadonlyMap<unknown, Shape> = new Map<string, Shape>([
  ['string', { kind: 'text', long: false, language: null, examples: [] }],
  ['file', { kind: 'text', long: false, language: null, examples: [] }],
  ['number', { kind: 'number', whole: false, least: null, most: null }],
  ['boolean', { kind: 'boolean', absent: false }],
])

/** The shape of a field of an object: a `default` has the type that its sibling `type` names. */
export function shapeBeside({ name, shape }: FieldShape, siblings: Schema): Shape {
  return name === 'default' && shape.kind === 'any' ? (byType.get(siblings['type']) ?? shape) : shape
}

/** Whether a value is what a shape draws; anything else is shown as JSON, so that nothing of it is hidden. */
export function fits(shape: Shape, value: unknown): boolean {
  if (value === undefined) return true
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'choice':
      return shape.options.includes(value as Scalar)
    case 'scalar':
      return value === null || ['string', 'number', 'boolean'].includes(typeof value)
    case 'list':
      return Array.isArray(value)
    case 'map':
      return isSchema(value)
    case 'object':
      return isSchema(value) && shape.fields.every((field) => hasItsWord(field, value))
    case 'either':
      return shape.options.some((option) => fits(option.shape, value))
    case 'any':
      return true
  }
}

/** Whether the constant that identifies a shape of a union matches, such as `type: cron`. */
function hasItsWord({ name, shape }: FieldShape, value: Schema): boolean {
  return shape.kind !== 'choice' || shape.options.length > 1 || shape.options[0] === value[name]
}

/** The first value of a shape; undefined: no value until the author enters one. */
export function emptyOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'text':
    case 'scalar':
    case 'any':
      return ''
    case 'number':
      return shape.least ?? 0
    case 'boolean':
      return false
    case 'choice':
      return shape.options[0]
    case 'list':
      return []
    case 'map':
      return {}
    case 'object':
      return Object.fromEntries(
        shape.fields.filter(({ required }) => required).map((field) => [field.name, emptyOf(field.shape)]),
      )
    case 'either':
      return shape.options[0] === undefined ? '' : emptyOf(shape.options[0].shape)
  }
}

/** Reads a text as the author means it: numbers, true and false become values, all else stays text. */
export function scalarOf(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/.test(text) && String(Number(text)) === text
    ? Number(text)
    : text
}
