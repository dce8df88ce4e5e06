import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Scope } from './expression'
import {
  compileTemplate,
  renderTemplate,
  issuesOfTemplated,
  templateExpressions,
  type Template,
} from './template'

const values: Record<string, unknown> = {
  'a.n': 3,
  'a.half': 0.5,
  'a.text': 'x {{ a.n }}',
  'a.list': [1, 'b'],
  'a.map': { k: null },
  'a.none': null,
  'a.yes': true,
}
const scope: Scope = {
  lookup: (name) => (Object.hasOwn(values, name) ? { value: values[name] } : undefined),
  names: () => Object.keys(values),
}

function template(value: unknown): Template {
  const result = compileTemplate(value)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

function render(value: unknown): unknown {
  const result = renderTemplate(template(value), scope)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('templates', () => {
  it('[N-O6] a pure {{ }} keeps its type', () => {
    expect(render('{{ a.n }}')).toBe(3)
    expect(render('  {{ a.list }}\n')).toEqual([1, 'b'])
    expect(render('{{ a.none }}')).toBe(null)
    expect(render('{{ a.yes && a.n > 2 }}')).toBe(true)
    expect(render("{{ {'k': {'n': a.n}} }}")).toEqual({ k: { n: 3 } })
  })

  it('[N-O6] [R-81] text around it makes it a string, whole numbers without decimals', () => {
    expect(render('n={{ a.n }}')).toBe('n=3')
    expect(render('{{ a.n }}{{ a.half }}')).toBe('30.5')
    expect(render('{{ a.n * 2 }} rows')).toBe('6 rows')
    expect(render('{{ a.map }} {{ a.none }}|{{ a.yes }}')).toBe('{"k":null} |true')
  })

  it('[N-O6] literals pass unchanged, at any depth', () => {
    const literal = { a: [1, null, true, { b: 'text } }}' }] }
    expect(render(literal)).toEqual(literal)
    expect(render(5)).toBe(5)
    expect(render({ a: ['{{ a.n }}', { b: 'x{{ a.n }}' }], c: 1 })).toEqual({ a: [3, { b: 'x3' }], c: 1 })
  })

  it('what is put in is never evaluated again', () => {
    expect(render('{{ a.text }}')).toBe('x {{ a.n }}')
    expect(render('> {{ a.text }}')).toBe('> x {{ a.n }}')
  })

  it('a literal {{ is written as text of an expression', () => {
    expect(render("{{ '{{' }} a.n }}")).toBe('{{ a.n }}')
    expect(render("{{ '}}' }}")).toBe('}}')
    expect(render('{{ "a\\"}}" }}')).toBe('a"}}')
  })

  it('knows what it reads', () => {
    expect(
      templateExpressions(template({ a: '{{ a.n + b.m }}', b: ['{{ a.n }}'] })).map(({ reads }) =>
        reads.map(({ name }) => name),
      ),
    ).toEqual([['a.n', 'b.m'], ['a.n']])
  })

  it('reports every mistake with its path and position', () => {
    const result = compileTemplate({ a: ['ok', 'x {{ 1 + }}'], b: '{{ a.n', c: 'fine {{ a.n }}' })
    expect(result).toEqual({
      ok: false,
      error: [
        { path: ['a', 1], message: 'it ends too early', position: 8 },
        {
          path: ['b'],
          message: "'{{' is not closed",
          hint: expect.stringContaining('close it'),
          position: 0,
        },
      ],
    })
  })

  it('[N-O1] a missing variable stops the rendering', () => {
    expect(renderTemplate(template({ a: '{{ a.n }}', b: 'x{{ a.m }}' }), scope)).toMatchObject({
      ok: false,
      error: { kind: 'variable_not_found', message: expect.stringContaining('a.m') },
      path: ['b'],
    })
  })

  it('keys that look like prototypes stay keys', () => {
    const rendered = render(JSON.parse('{"__proto__": {"x": "{{ a.n }}"}, "constructor": "{{ a.n }}"}'))
    expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype)
    expect(JSON.stringify(rendered)).toBe('{"__proto__":{"x":3},"constructor":3}')
  })
})

describe('a literal or a {{ }}', () => {
  const schema = z.strictObject({
    n: z.number().min(1),
    list: z.array(z.enum(['a', 'b'])).optional(),
    s: z.string().max(3).optional(),
  })
  it.each([
    [{ n: 1 }, true],
    [{ n: '{{ a.n }}' }, true],
    [{ n: 0 }, false],
    [{ n: 'x' }, false],
    [{ n: '{{ a.n }} x' }, false],
    [{ n: 1, list: ['a', '{{ a.x }}'] }, true],
    [{ n: 1, list: '{{ a.x }}' }, true],
    [{ n: 1, list: ['c'] }, false],
    [{ n: 1, s: 'long {{ a.n }}' }, true],
    [{ n: 1, s: 'long' }, false],
    [{ n: 1, x: '{{ a.n }}' }, false],
    [{}, false],
  ])('%j: %s', (value, valid) => {
    expect(issuesOfTemplated(schema, value)).toHaveLength(valid ? 0 : 1)
  })
})

describe('bounds', () => {
  it('[R-61] a template does not multiply a large variable', () => {
    const large: Scope = { lookup: () => ({ value: 'x'.repeat(1_000_000) }), names: () => ['a.large'] }
    const result = renderTemplate(template(Array.from({ length: 10_000 }, () => '{{ a.large }}')), large)
    expect(result).toMatchObject({ ok: false, error: { kind: 'expression_error' } })
    expect(renderTemplate(template(['{{ a.large }}', '{{ a.large }}']), large)).toMatchObject({ ok: true })
  })
})
