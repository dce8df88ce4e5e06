import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatStartWhen, gateAtoms, parseStartWhen, type StartWhen } from './start-when'

function gate(text: string): StartWhen {
  const result = parseStartWhen(text)
  if (!result.ok) throw new Error(`${text}: ${result.error.message}`)
  return result.value
}

function issue(text: string) {
  const result = parseStartWhen(text)
  if (result.ok) throw new Error(`${text} parses`)
  return result.error
}

/** The shape without the compiled expressions. */
function shape(g: StartWhen): unknown {
  if (g.kind === 'event') return g.type
  if (g.kind === 'condition') return `{{${g.source}}}`
  if (g.kind === 'not') return ['!', shape(g.term)]
  return [g.kind, ...g.terms.map(shape)]
}

describe('parsing', () => {
  it.each<[string, unknown]>([
    ['event:pipeline.started', 'pipeline.started'],
    [
      'event:a.completed && event:b.completed || event:c.failed',
      ['or', ['and', 'a.completed', 'b.completed'], 'c.failed'],
    ],
    [
      'event:a.completed && (event:b.failed || !event:c.failed)',
      ['and', 'a.completed', ['or', 'b.failed', ['!', 'c.failed']]],
    ],
    ['!event:a.failed && event:b.completed', ['and', ['!', 'a.failed'], 'b.completed']],
    ['event:a.completed && {{ a.rows > 0 }}', ['and', 'a.completed', '{{a.rows > 0}}']],
    ['event:external.data_ready', 'external.data_ready'],
    ['event:external.github.push.main', 'external.github.push.main'],
    [
      "event:a.completed\n  && {{ {'k': {'j': 1}}.k.j == a.v && a.t != '}}' }}",
      ['and', 'a.completed', "{{{'k': {'j': 1}}.k.j == a.v && a.t != '}}'}}"],
    ],
    [
      '(event:a.completed && event:b.completed) && event:c.completed',
      ['and', 'a.completed', 'b.completed', 'c.completed'],
    ],
    ['event:a.task.failed', 'a.task.failed'],
  ])('[X-1] %s', (text, expected) => {
    expect(shape(gate(text))).toEqual(expected)
  })

  it('lists atoms with their sign, and events once', () => {
    const g = gate('event:a.completed && !(event:b.failed || !{{ a.v > 1 }}) || event:a.completed')
    expect(
      gateAtoms(g).map(({ atom, negated }) => [atom.kind === 'event' ? atom.type : atom.source, negated]),
    ).toEqual([
      ['a.completed', false],
      ['b.failed', true],
      ['a.v > 1', false],
      ['a.completed', false],
    ])
  })
})

describe('messages', () => {
  it.each([
    ['event:a.completed and event:b.completed', /'and' is not an operator/, 'write && instead of and', 18],
    ['not event:a.completed', /'not'/, 'write ! instead of not', 0],
    ['event:a.completed & event:b.completed', /'&'/, 'write &&', 18],
    [
      'a.completed',
      /'a.completed' is not expected here/,
      'write event:a.completed for an event, or {{ … }} around a condition',
      0,
    ],
    ['event:*.completed', /wildcard/, 'join them with ||', 0],
    ['cron:0_6_*', /not possible in startWhen/, 'a schedule is a trigger of the pipeline', 0],
    ['(event:a.completed', /'\(' is not closed/, undefined, 0],
    ['event:a.completed)', /'\)' is not expected/, undefined, 17],
    ['event:a.completed &&', /ends too early/, undefined, 20],
    ['event:a.completed && {{ a.v', /'\{\{' is not closed/, undefined, 21],
    [
      'event:completed',
      /'completed' is not the name of an event/,
      'write event:SOURCE.NAME in lower case, such as event:a.completed',
      0,
    ],
    ['event:', /must be followed/, 'write event:a.completed', 0],
    ['event:a.completed && {{ a.v > }}', /ends too early/, undefined, 29],
    ['event:a.completed && {{ 1 + 1 }}', /'1 \+ 1' is not true or false/, 'compare it with something', 21],
  ])('%s', (text, message, hint, position) => {
    const found = issue(text)
    expect(found.message).toMatch(message)
    expect(found.hint).toBe(hint)
    expect(found.position).toBe(position)
  })

  it('[R-61] bounds length, atoms and depth', () => {
    expect(issue(' '.repeat(1_000_001)).message).toContain('1000000')
    expect(issue(`${'event:a.b||'.repeat(10_000)}event:a.b`).message).toContain('10000')
    expect(issue(`event:${'a'.repeat(5_000)}.b`).message).toContain('4000')
    expect(issue('a'.repeat(900_000)).message.length).toBeLessThan(5_000)
    expect(issue(`${'('.repeat(100)}event:a.completed${')'.repeat(100)}`).message).toContain('50')
    expect(issue('!'.repeat(3_000) + 'event:a.b').message).toContain('50')
    expect(issue('('.repeat(900_000)).message).toContain('50')
  })

  it('[R-87] takes as many events as a pipeline may have nodes', () => {
    const events = Array.from({ length: 10_000 }, (_, at) => `event:node_${at}.completed`)
    for (const join of [' && ', ' || ']) {
      const text = events.join(join)
      const parsed = gate(text)
      expect(gateAtoms(parsed)).toHaveLength(10_000)
      expect(formatStartWhen(parsed)).toBe(text)
    }
  })
})

const atom: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('event:a.completed', 'event:b.failed', 'event:external.x', 'event:pipeline.started'),
  fc.constantFrom('{{ a.v > 1 }}', "{{ b.t == '}}' }}", '{{ has(a.w) }}'),
)
const text: fc.Arbitrary<string> = fc.letrec<{ gate: string }>((tie) => ({
  gate: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('gate'), tie('gate')).map(([a, b]) => `(${a} && ${b})`),
    fc.tuple(tie('gate'), tie('gate')).map(([a, b]) => `(${a} || ${b})`),
    tie('gate').map((a) => `!(${a})`),
  ),
})).gate

describe('format', () => {
  it('parses back to the same tree', () => {
    fc.assert(
      fc.property(text, (source) => {
        const parsed = parseStartWhen(source)
        if (!parsed.ok) return
        const printed = formatStartWhen(parsed.value)
        expect(shape(gate(printed))).toEqual(shape(parsed.value))
        expect(formatStartWhen(gate(printed))).toBe(printed)
      }),
      { numRuns: 500 },
    )
  })

  it('never throws for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({
            unit: fc.constantFrom('(', ')', '!', '&&', '||', '{{', '}}', 'event:a.b', ' ', "'", '"'),
          }),
        ),
        (source) => {
          const result = parseStartWhen(source)
          if (!result.ok) expect(result.error.message.length).toBeGreaterThan(0)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
