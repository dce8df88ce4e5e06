import { z } from 'zod'

export type JsonSchema = { readonly [key: string]: unknown }

const COMPONENTS = '#/components/schemas/'

/**
 * Turns zod schemas into JSON Schema for one document. Schemas that have an id become components, which others refer to; one that
 * describes requests as well as answers is the same component.
 */
export class JsonSchemas {
  readonly #components = new Map<string, JsonSchema>()

  /** Of what a caller sends: unknown fields are refused, so the schema says so. */
  request(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input')
  }

  /** Of what the server sends: fields may be added later, so the schema stays open. */
  answer(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output')
  }

  /** The components that were referred to, by name. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Inside of an object also a schema with an id of its own becomes a reference.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ schema }), { io, unrepresentable: 'any' })
    const named = Object.entries($defs).filter(([name]) => !isAnonymous(name))
    for (const [name, component] of named) {
      const strict = this.#components.get(name)
      if (strict === undefined) this.#components.set(name, asObject(clean(component, io)))
    }
    return asObject(clean(properties?.['schema'], io))
  }
}

/** The language's own recursive schemas (any JSON value) have no name: in a document `{}` says the same. */
const isAnonymous = (name: string) => name.startsWith('__')

function clean(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, io))
  if (!isObject(value)) return value
  const reference = value['$ref']
  if (typeof reference === 'string') {
    const name = reference.replace('#/$defs/', '')
    return isAnonymous(name) ? {} : { $ref: `${COMPONENTS}${name}` }
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => !(key === 'id' && typeof part === 'string'))
      .filter(([key, part]) => !(io === 'output' && key === 'additionalProperties' && part === false))
      .map(([key, part]) => [key, clean(part, io)]),
  )
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asObject = (value: unknown): JsonSchema => (isObject(value) ? value : {})
