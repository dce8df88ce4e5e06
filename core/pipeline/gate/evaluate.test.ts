import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateStartWhen, type GateResult, type GateFacts, type Truth } from './evaluate'
import { parseStartWhen, type StartWhen } from './start-when'

function gate(text: string): StartWhen {
  const result = parseStartWhen(text)
  if (!result.ok) throw new Error(`${text}: ${result.error.message}`)
  return result.value
}

type Known = Record<string, Truth | 'error'>

/** A facts out of a table; conditions are looked up by their source. Remembers what was asked. */
function factsOf(known: Known): GateFacts & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    event: (type) => (known[type] ?? 'pending') as Truth,
    condition(atom) {
      asked.push(atom.source)
      const truth = known[atom.source] ?? 'pending'
      return truth === 'error' ? { error: { kind: 'expression_error', message: 'no' } } : { truth }
    },
  }
}

function run(text: string, known: Known): GateResult & { asked: string[] } {
  const facts = factsOf(known)
  return { ...evaluateStartWhen(gate(text), facts), asked: facts.asked }
}

describe('events', () => {
  it.each<[string, Known, Truth]>([
    ['event:a.completed', {}, 'pending'],
    ['event:a.completed', { 'a.completed': 'true' }, 'true'],
    ['event:a.completed', { 'a.completed': 'dead' }, 'dead'],
    ['event:a.completed && event:b.completed', { 'a.completed': 'true' }, 'pending'],
    ['event:a.completed && event:b.completed', { 'a.completed': 'dead' }, 'dead'],
    ['event:a.completed || event:b.completed', { 'a.completed': 'dead' }, 'pending'],
    ['event:a.completed || event:b.completed', { 'b.completed': 'true' }, 'true'],
    ['!event:x.failed', {}, 'pending'],
    ['!event:x.failed', { 'x.failed': 'dead' }, 'true'],
    ['!event:x.failed', { 'x.failed': 'true' }, 'dead'],
  ])('[R-5] [R-6] %s in %j is %s', (text, known, truth) => {
    expect(run(text, known).truth).toBe(truth)
  })

  it('[R-70] names positive true events once, also when they do not decide', () => {
    const result = run('event:a.failed && !event:b.failed || event:c.completed || event:a.failed', {
      'a.failed': 'true',
      'b.failed': 'true',
      'c.completed': 'true',
    })
    expect(result.trueEvents).toEqual(['a.failed', 'c.completed'])
  })

  it('[R-82] names the atom that made it dead', () => {
    expect(run('event:a.completed && event:b.completed', { 'b.completed': 'dead' }).cause).toEqual({
      atom: 'event:b.completed',
      kind: 'event',
      negated: false,
    })
    expect(
      run('event:a.completed && !event:b.failed', { 'a.completed': 'true', 'b.failed': 'true' }).cause,
    ).toEqual({
      atom: 'event:b.failed',
      kind: 'event',
      negated: true,
    })
    expect(
      run('event:a.completed && {{ a.v > 1 }}', { 'a.completed': 'true', 'a.v > 1': 'dead' }).cause,
    ).toEqual({
      atom: '{{ a.v > 1 }}',
      kind: 'condition',
      negated: false,
    })
    expect(
      run('event:a.completed || event:b.completed', { 'a.completed': 'dead', 'b.completed': 'dead' }).cause
        ?.atom,
    ).toBe('event:a.completed')
    expect(run('event:a.completed', { 'a.completed': 'true' }).cause).toBeUndefined()
  })
})

describe('conditions', () => {
  it('[R-66] a condition is asked only when the other conjuncts are true', () => {
    expect(run('event:a.completed && {{ a.v > 1 }}', { 'a.v > 1': 'true' }).asked).toEqual([])
    expect(run('event:a.completed && {{ a.v > 1 }}', { 'a.completed': 'dead' })).toMatchObject({
      truth: 'dead',
      asked: [],
    })
    const asked = run('event:a.completed && {{ a.v > 1 }}', { 'a.completed': 'true', 'a.v > 1': 'true' })
    expect(asked).toMatchObject({
      truth: 'true',
      asked: ['a.v > 1'],
      conditions: [{ source: 'a.v > 1', value: true }],
    })
    expect(
      run('{{ a.v > 1 }} && event:a.completed', { 'a.completed': 'true', 'a.v > 1': 'dead' }).truth,
    ).toBe('dead')
  })

  it('[R-66] alone in its group it is asked at once', () => {
    expect(
      run('event:a.completed || {{ pipeline.input.x > 1 }}', { 'pipeline.input.x > 1': 'true' }),
    ).toMatchObject({
      truth: 'true',
      asked: ['pipeline.input.x > 1'],
    })
  })

  it('[R-66] several conditions of a group wait for the rest and are then all asked', () => {
    const text = '{{ a.v > 1 }} && event:a.completed && {{ a.v < 9 }}'
    expect(run(text, { 'a.v > 1': 'true', 'a.v < 9': 'true' }).asked).toEqual([])
    expect(run(text, { 'a.completed': 'true', 'a.v > 1': 'true', 'a.v < 9': 'true' })).toMatchObject({
      truth: 'true',
      asked: ['a.v > 1', 'a.v < 9'],
    })
  })

  it('[R-66] the groups around it count too', () => {
    const text = 'event:b.completed && (event:a.completed || {{ b.v > 1 }})'
    expect(run(text, { 'b.v > 1': 'error' })).toMatchObject({ truth: 'pending', asked: [] })
    expect(run(text, { 'b.completed': 'dead', 'b.v > 1': 'error' })).toMatchObject({
      truth: 'dead',
      asked: [],
    })
    expect(run(text, { 'b.completed': 'true', 'b.v > 1': 'true' })).toMatchObject({
      truth: 'true',
      asked: ['b.v > 1'],
    })
  })

  it('[R-66] under a negated group it waits for the && that it stands in', () => {
    const text = '!(event:a.completed && {{ a.v > 1 }})'
    expect(run(text, {})).toMatchObject({ truth: 'pending', asked: [] })
    expect(run(text, { 'a.completed': 'dead' })).toMatchObject({ truth: 'true', asked: [] })
    expect(run(text, { 'a.completed': 'true', 'a.v > 1': 'true' })).toMatchObject({ truth: 'dead' })
    expect(run(text, { 'a.completed': 'true', 'a.v > 1': 'true' }).cause).toMatchObject({ negated: true })
  })

  it('[R-66] an error is told with its condition', () => {
    const result = run('event:a.completed && {{ a.v > 1 }}', { 'a.completed': 'true', 'a.v > 1': 'error' })
    expect(result.error).toEqual({ kind: 'expression_error', message: 'no', source: 'a.v > 1' })
    expect(result.cause).toBeUndefined()
    expect(
      run('event:a.completed || {{ a.v > 1 }}', { 'a.completed': 'true', 'a.v > 1': 'error' }),
    ).toMatchObject({
      truth: 'true',
      asked: [],
    })
    expect(
      run('{{ a.v > 1 }} && {{ a.v < 9 }}', { 'a.v > 1': 'dead', 'a.v < 9': 'error' }).error,
    ).toBeUndefined()
  })
})

describe('external atoms', () => {
  it.each<[string, Known, boolean]>([
    ['event:external.x', {}, true],
    ['event:external.x', { 'external.x': 'true' }, false],
    ['event:a.completed && event:external.x', {}, false],
    ['event:a.completed && event:external.x', { 'a.completed': 'true' }, true],
    ['event:a.completed || event:external.x', {}, false],
    ['event:a.completed || event:external.x', { 'a.completed': 'dead' }, true],
    ['event:a.completed && event:external.x && {{ a.v > 1 }}', { 'a.completed': 'true' }, true],
    ['event:external.x || {{ a.v > 1 }}', {}, false],
    ['!event:external.x && event:a.completed', { 'a.completed': 'true' }, true],
  ])('[R-67] %s in %j: only external pending %s', (text, known, expected) => {
    expect(run(text, known).onlyExternalPending).toBe(expected)
  })
})

/*
 * The oracle knows nothing of the evaluator: a gate here is a tree of arrays, and its truth is found by trying every
 * way in which what is pending may turn out. A gate is true (dead) when it is so in all of them.
 */
type Tree = string | ['!', Tree] | ['&&' | '||', Tree, Tree]

const events = ['a.completed', 'b.failed', 'c.completed', 'external.x']

const tree = (leaves: string[]): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Tree>(...leaves),
      fc.tuple(fc.constantFrom('&&' as const, '||' as const), tie('tree'), tie('tree')),
      fc.tuple(fc.constant('!' as const), tie('tree')),
    ),
  })).tree

function write(t: Tree): string {
  if (typeof t === 'string') return t.includes('>') ? `{{ ${t} }}` : `event:${t}`
  return t.length === 2 ? `!(${write(t[1])})` : `(${write(t[1])} ${t[0]} ${write(t[2])})`
}

function holds(t: Tree, facts: ReadonlyMap<string, boolean>): boolean {
  if (typeof t === 'string') return facts.get(t) ?? false
  if (t.length === 2) return !holds(t[1], facts)
  return t[0] === '&&' ? holds(t[1], facts) && holds(t[2], facts) : holds(t[1], facts) || holds(t[2], facts)
}

/** Strong Kleene truth: each leaf on its own may be read either way where it is pending. */
function kleene(t: Tree, known: ReadonlyMap<string, Truth>): Truth {
  let count = 0
  const label = (x: Tree): Tree => {
    if (typeof x === 'string') return `${x}#${count++}`
    return x.length === 2 ? [x[0], label(x[1])] : [x[0], label(x[1]), label(x[2])]
  }
  const labelled = label(t)
  const leaves: string[] = []
  const collect = (x: Tree): void => {
    if (typeof x === 'string') leaves.push(x)
    else for (const part of x.slice(1)) collect(part as Tree)
  }
  collect(labelled)
  const open = leaves.filter((leaf) => known.get(leaf.split('#')[0] ?? '') === 'pending')
  const outcomes = new Set<boolean>()
  for (let choice = 0; choice < 2 ** open.length; choice++) {
    const facts = new Map(leaves.map((leaf) => [leaf, known.get(leaf.split('#')[0] ?? '') === 'true']))
    open.forEach((leaf, i) => facts.set(leaf, ((choice >> i) & 1) === 1))
    outcomes.add(holds(labelled, facts))
  }
  if (outcomes.size === 2) return 'pending'
  return outcomes.has(true) ? 'true' : 'dead'
}

const truth = fc.constantFrom<Truth>('true', 'dead', 'pending')
const leafCount = (t: Tree): number =>
  typeof t === 'string' ? 1 : t.slice(1).reduce<number>((sum, part) => sum + leafCount(part as Tree), 0)

describe('against a brute-force oracle', () => {
  it('[R-5] gates of events are strong Kleene', () => {
    fc.assert(
      fc.property(
        tree(events).filter((t) => leafCount(t) <= 10),
        fc.tuple(truth, truth, truth, truth),
        (t, truths) => {
          const known = new Map(events.map((name, i) => [name, truths[i] ?? 'pending']))
          const result = evaluateStartWhen(gate(write(t)), factsOf(Object.fromEntries(known)))
          expect(result.truth).toBe(kleene(t, known))
          expect(result.cause !== undefined).toBe(result.truth === 'dead')
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('[R-66] when conditions are settled too, asking late changes nothing', () => {
    const conditions = ['a.v > 1', 'b.v > 1']
    fc.assert(
      fc.property(
        tree([...events, ...conditions]).filter((t) => leafCount(t) <= 10),
        fc.array(truth, { minLength: 4, maxLength: 4 }),
        fc.array(fc.constantFrom<Truth>('true', 'dead'), { minLength: 2, maxLength: 2 }),
        (t, eventTruths, conditionTruths) => {
          const known = new Map<string, Truth>([
            ...events.map((name, i) => [name, eventTruths[i] ?? 'pending'] as const),
            ...conditions.map((name, i) => [name, conditionTruths[i] ?? 'dead'] as const),
          ])
          const facts = factsOf(Object.fromEntries(known))
          const result = evaluateStartWhen(gate(write(t)), facts)
          const everythingKnown = kleene(t, known)
          // What was left unasked can only keep it pending, never turn it round.
          if (result.truth !== 'pending') expect(result.truth).toBe(everythingKnown)
          const settledEvents = eventTruths.every((value) => value !== 'pending')
          if (settledEvents) expect(result.truth).toBe(everythingKnown)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('[R-5] decided stays decided: settling what is pending never changes true or dead', () => {
    fc.assert(
      fc.property(
        tree([...events, 'a.v > 1']).filter((t) => leafCount(t) <= 12),
        fc.array(truth, { minLength: 5, maxLength: 5 }),
        fc.array(fc.constantFrom<Truth>('true', 'dead'), { minLength: 5, maxLength: 5 }),
        (t, before, later) => {
          const names = [...events, 'a.v > 1']
          const first = Object.fromEntries(names.map((name, i) => [name, before[i] ?? 'pending']))
          const then = Object.fromEntries(
            names.map((name, i) => [
              name,
              first[name] === 'pending' ? (later[i] ?? 'dead') : (first[name] ?? 'dead'),
            ]),
          )
          const g = gate(write(t))
          const early = evaluateStartWhen(g, factsOf(first)).truth
          const late = evaluateStartWhen(g, factsOf(then)).truth
          if (early !== 'pending') expect(late).toBe(early)
          expect(late).not.toBe('pending')
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
