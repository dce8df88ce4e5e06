import { readTypedJson } from '@/core/pipeline/json-text'
import { bareOf } from './bare-expression'
import { emptyOf, fits, type Shape } from './shape'

/** Converts the value of a field between its forms, and between a fixed value and an expression. Pure. */

export const isText = ({ kind }: Shape): boolean => kind === 'text' || kind === 'scalar'

/** The form of a shape that is drawn: the one that fits the value, else the chosen one, else the first. */
export function optionOf(shape: Shape, value: unknown, chosen: number | null) {
  if (shape.kind === 'any') {
    const titles = ['Text', 'JSON']
    const at = value === undefined || value === '' ? (chosen ?? 0) : typeof value === 'string' ? 0 : 1
    return {
      shape,
      titles,
      at,
      json: at === 0 ? ('text' as const) : ('json' as const),
      switched: (to: number, other: unknown) =>
        to === 0
          ? typeof other === 'string' || value === undefined
            ? other
            : JSON.stringify(value)
          : typeof value === 'string' && value !== ''
            ? parsed(value)
            : other,
    }
  }
  if (shape.kind !== 'either')
    return { shape, titles: [], at: 0, json: 'json' as const, switched: () => value }
  const fitting = shape.options.findIndex((option) => value !== undefined && fits(option.shape, value))
  const at = fitting >= 0 ? fitting : (chosen ?? 0)
  return {
    shape: shape.options[at]?.shape ?? shape,
    titles: shape.options.map(({ title }) => title),
    at,
    json: 'json' as const,
    switched: (to: number, other: unknown) => {
      const next = shape.options[to]?.shape
      if (next === undefined) return value
      return other !== undefined && fits(next, other) ? other : emptyOf(next)
    },
  }
}

function parsed(text: string): unknown {
  const read = readTypedJson(text)
  return read.ok ? read.value : { value: text }
}

/** The expression for a fixed value: the one from before, if there was one. */
export function expressionOf(shape: Shape, value: unknown, other: unknown): unknown {
  if (typeof other === 'string' && other.includes('{{')) return other
  if (value === undefined || (typeof value === 'string' && isText(shape))) return value
  return `{{ ${JSON.stringify(value)} }}`
}

/** The fixed value for an expression: the one from before, or the literal that it is; undefined: neither. */
export function fixedOf(shape: Shape, value: unknown, other: unknown): unknown {
  if (other !== undefined && !(typeof other === 'string' && other.includes('{{'))) return other
  const bare = typeof value === 'string' ? bareOf(value) : null
  if (typeof value === 'string' && !value.includes('{{')) return value
  if (bare === null) return undefined
  const literal = readTypedJson(bare)
  return literal.ok && fits(shape, literal.value) ? literal.value : undefined
}
