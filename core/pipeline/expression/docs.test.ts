import { describe, expect, it } from 'vitest'
import { evaluate, parseExpression } from './expression'
import { expressionFunctions } from './docs'

const nothing = { lookup: () => undefined, names: () => [] }

describe('every function that is offered', () => {
  it.each(expressionFunctions)('$call does what is said of it', ({ name, sample, gives }) => {
    expect(sample).toContain(`${name}(`)
    const parsed = parseExpression(sample)
    if (!parsed.ok) throw new Error(parsed.error.message)
    expect(evaluate(parsed.value, nothing)).toEqual({ ok: true, value: gives })
  })
})
