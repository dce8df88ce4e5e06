import { gateShape } from '@/core/pipeline/gate/shape'
import type { Json } from '@/core/pipeline/json'
import { compileTemplate, renderTemplate } from '@/core/pipeline/expression/template'

/** What an expression gives for the values of a run. Pure; evaluated as the engine evaluates it. */

/** Values by the names with which expressions read them: `extract.rows`, `pipeline.input.station`. */
export type Values = ReadonlyMap<string, unknown>

export type Preview =
  | { readonly kind: 'value'; readonly text: string; readonly type: string }
  /** Why there is none, in words. */
  | { readonly kind: 'none'; readonly why: string }

/** How much of a value is shown. */
const MOST_SHOWN = 400

/** The value of a text with expressions; null where the text cannot be parsed, which its field reports. */
export function previewOf(
  text: string,
  values: Values,
  locals: { readonly [name: string]: unknown },
): Preview | null {
  const compiled = compileTemplate(text)
  if (!compiled.ok) return null
  const rendered = renderTemplate(compiled.value, {
    lookup: (name) => (values.has(name) ? { value: values.get(name) } : undefined),
    names: () => values.keys(),
    locals,
  })
  return rendered.ok ? shown(rendered.value) : { kind: 'none', why: inWords(rendered.error.message) }
}

/** Whether each condition of a start condition held; its events are not asked. */
export function previewOfConditions(
  gate: string,
  values: Values,
): readonly { readonly source: string; readonly preview: Preview | null }[] {
  const shape = gateShape(gate)
  if (!shape.ok) return []
  return shape.value.conditions.map(({ source }) => ({
    source,
    preview: previewOf(`{{ ${source} }}`, values, {}),
  }))
}

function shown(value: unknown): Preview {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  return {
    kind: 'value',
    text: text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text,
    type: typeOf(value),
  }
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 1 ? 'list of 1' : `list of ${value.length}`
  return typeof value === 'string' ? 'text' : typeof value
}

const inWords = (message: string): string =>
  message.replace(/^variable (\S+) is not there/, 'That run has no $1')

/** The member of a list that `item` is, where there is one: what is previewed for each item is shown for the first. */
export function firstItem(items: unknown, values: Values): { readonly item: Json; readonly index: 0 } | null {
  const compiled = compileTemplate({ items })
  if (!compiled.ok) return null
  const rendered = renderTemplate(compiled.value, {
    lookup: (name) => (values.has(name) ? { value: values.get(name) } : undefined),
    names: () => [],
  })
  const list: unknown = rendered.ok ? (rendered.value as { items: unknown }).items : null
  return Array.isArray(list) && list.length > 0 ? { item: list[0] as Json, index: 0 } : null
}
