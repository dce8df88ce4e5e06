import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { evaluate, parseExpression } from './expression'
import { expressionFunctions } from './docs'

const nothing = { lookup: () => undefined, names: () => [] }

function valueOf(source: string): unknown {
  const parsed = parseExpression(source)
  if (!parsed.ok) throw new Error(parsed.error.message)
  const result = evaluate(parsed.value, nothing)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('every function that is offered', () => {
  it.each(expressionFunctions)('$call does what is said of it', ({ name, sample, gives }) => {
    expect(sample).toContain(`${name}(`)
    expect(valueOf(sample)).toEqual(gives)
  })
})

describe('the page about expressions', () => {
  const page = readFileSync(`${import.meta.dirname}/../../../docs/reference/expressions.md`, 'utf8')
  const rows = [...page.matchAll(/\| `([^`]+)` +\| `([^`]+)` +\|$/gm)].map(
    ([, source, gives]) => [source!, gives!] as const,
  )

  it.each(rows)('%s gives %s', (source, gives) => {
    expect(JSON.stringify(valueOf(source))).toBe(gives)
  })

  it('has every function', () => {
    expect(rows.length).toBeGreaterThan(10)
    for (const { name } of expressionFunctions) expect(page).toContain(name)
  })
})
