import { describe, expect, it } from 'vitest'
import { closedBehind, closesExpression, offersAt, type Grammar } from './completion'

const names = () => ({
  variables: [{ name: 'extract.rows', type: 'number', doc: 'How many.' }],
  events: [{ type: 'extract.completed', doc: 'it has ended well' }],
})

/** `|` is where the cursor stands. */
function at(marked: string, grammar: Grammar) {
  const place = marked.indexOf('|')
  const text = marked.replace('|', '')
  const found = offersAt(text, place, grammar, names)
  return found && { part: text.slice(found.from, place), labels: found.offers.map(({ label }) => label) }
}

describe('offers', () => {
  it('are variables and functions inside of the braces, and nothing outside', () => {
    expect(at('rows: {{ ext|', 'template')).toMatchObject({ part: 'ext' })
    expect(at('{{ ext| }}', 'template')?.labels).toContain('extract.rows')
    expect(at('{{ extract.r| }} rows', 'template')).toMatchObject({ part: 'extract.r' })
    expect(at('{{ a }} ext| {{ b }}', 'template')).toBeNull()
    expect(at('|{{ a }}', 'template')).toBeNull()
    expect(at('ext|', 'template')).toBeNull()
    expect(at('ext|', 'expression')?.labels).toEqual(expect.arrayContaining(['extract.rows', 'size']))
  })

  it('are none inside of a text in quotes', () => {
    expect(at("extract.name == 'ext|", 'expression')).toBeNull()
    expect(at("extract.name == 'it\\'s' && ext|", 'expression')).not.toBeNull()
  })

  it('are none after a number', () => {
    expect(at('a.b <= 5|', 'expression')).toBeNull()
    expect(at('a.b <= 1.5|', 'expression')).toBeNull()
    expect(at('a.b5|', 'expression')).not.toBeNull()
  })

  it('are methods after a dot', () => {
    expect(at('extract.rows.ma|', 'expression')?.labels).toContain('extract.rows.map')
    expect(at('[1, 2].ma|', 'expression')).toMatchObject({ part: 'ma' })
    expect(at('[1, 2].ma|', 'expression')?.labels).toContain('map')
    expect(at('[1, 2].ma|', 'expression')?.labels).not.toContain('extract.rows')
  })

  it('are events in a start condition, and variables in its conditions', () => {
    expect(at('event:ext| && {{ a }}', 'gate')).toMatchObject({
      part: 'event:ext',
      labels: ['event:extract.completed', 'event:external.'],
    })
    expect(at('event:a.completed && |', 'gate')).toMatchObject({ part: '' })
    expect(at('event:a.completed && {{ ext| }}', 'gate')?.labels).toContain('extract.rows')
  })
})

describe('a closing brace', () => {
  const behind = (marked: string) => {
    const found = closedBehind(marked.replace('|', ''), marked.indexOf('|'))
    return found === null ? null : marked.replace('|', '').slice(found)
  }

  it('that stands there already is stepped over, one after the other', () => {
    expect(behind('{{ a.b| }} x')).toBe('} x')
    expect(behind('{{ a.b }|} x')).toBe(' x')
    expect(behind("{{ {'a': 1}| }}")).toBe('}')
  })

  it('is written where it closes a map, or where there is none', () => {
    expect(behind("{{ {'a': 1| }}")).toBeNull()
    expect(behind('{{ a.b| x }}')).toBeNull()
    expect(behind('a| }')).toBeNull()
    expect(behind('{{ a.b }}|')).toBeNull()
  })
})

describe('a closing brace in an expression that is shown without its braces', () => {
  const closes = (marked: string) => closesExpression(marked.replace('|', ''), marked.indexOf('|'))

  it('closes the expression at its end', () => {
    expect(closes('extract.rows|')).toBe(true)
    expect(closes('extract.rows |')).toBe(true)
    expect(closes("{'a': 1}| ")).toBe(true)
  })

  it('is part of the expression in a map, in a text and before more of it', () => {
    expect(closes("{'a': 1|")).toBe(false)
    expect(closes("'a|")).toBe(false)
    expect(closes('a| + b')).toBe(false)
    expect(closes('|')).toBe(false)
  })
})
