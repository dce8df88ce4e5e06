import type { Result } from './json'

/**
 * Regular expressions in linear time. JavaScript's own backtrack: an author's `(a+)+$` would stop the
 * server. This simulates an automaton instead, so a match costs at most text × states, as RE2 (and CEL) promise.
 *
 * Syntax: literals, `.`, classes `[a-z] [^…] \d \w \s` and their negations, groups `( )` and `(?: )`, `|`,
 * `* + ? {n} {n,} {n,m}` (a `?` after them is accepted and changes nothing), `^`, `$`, `\b`, `\B`. No backreferences, no lookaround.
 */
export type Pattern = {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean
  /** States that one character may touch. */
  cost: number
}

const maxPatternLength = 500
const maxStates = 2_000
const maxRepeat = 1_000

type Test = (code: number) => boolean
type Assertion = 'start' | 'end' | 'word' | 'not-word'

type Part =
  | { kind: 'char'; test: Test }
  | { kind: 'assert'; assertion: Assertion }
  | { kind: 'sequence'; parts: Part[] }
  | { kind: 'choice'; options: Part[] }
  | { kind: 'repeat'; part: Part; least: number; most: number }

class PatternFault extends Error {}

const isDigit: Test = (c) => c >= 48 && c <= 57
const isWord: Test = (c) => isDigit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95
const isSpace: Test = (c) =>
  (c >= 9 && c <= 13) || c === 32 || c === 160 || c === 0x2028 || c === 0x2029 || c === 0xfeff
const classes: Record<string, Test> = {
  d: isDigit,
  D: (c) => !isDigit(c),
  w: isWord,
  W: (c) => !isWord(c),
  s: isSpace,
  S: (c) => !isSpace(c),
}
const controls: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, v: 11, '0': 0 }

class PatternParser {
  private at = 0
  private depth = 0
  constructor(private readonly chars: string[]) {}

  parse(): Part {
    const part = this.choice()
    if (this.at < this.chars.length) throw new PatternFault(`unexpected '${this.chars[this.at]}'`)
    return part
  }

  private peek(): string | undefined {
    return this.chars[this.at]
  }

  private choice(): Part {
    if (++this.depth > 50) throw new PatternFault('groups are nested too deeply')
    const options = [this.sequence()]
    while (this.peek() === '|') {
      this.at++
      options.push(this.sequence())
    }
    this.depth--
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
  }

  private sequence(): Part {
    const parts: Part[] = []
    for (let c = this.peek(); c !== undefined && c !== '|' && c !== ')'; c = this.peek()) {
      parts.push(this.repeated())
    }
    return { kind: 'sequence', parts }
  }

  private repeated(): Part {
    let part = this.atom()
    for (;;) {
      const bounds = this.quantifier()
      if (bounds === null) return part
      if (part.kind === 'assert') throw new PatternFault('nothing to repeat')
      if (part.kind === 'repeat') throw new PatternFault('a repeat cannot be repeated; put it in a group')
      part = { kind: 'repeat', part, least: bounds[0], most: bounds[1] }
      if (this.peek() === '?') this.at++
    }
  }

  private quantifier(): [number, number] | null {
    const c = this.peek()
    if (c === '*' || c === '+' || c === '?') {
      this.at++
      return [c === '+' ? 1 : 0, c === '?' ? 1 : Infinity]
    }
    if (c !== '{') return null
    const end = this.chars.indexOf('}', this.at)
    const counts = /^(\d{1,4})(,(\d{0,4}))?$/.exec(end < 0 ? '' : this.chars.slice(this.at + 1, end).join(''))
    if (!counts) throw new PatternFault("a '{' must begin a count such as {2,3}; write \\{ for the character")
    this.at = end + 1
    const least = Number(counts[1])
    const most = counts[2] === undefined ? least : counts[3] ? Number(counts[3]) : Infinity
    if (most < least) throw new PatternFault('the count is out of order')
    if (least > maxRepeat || (most !== Infinity && most > maxRepeat)) {
      throw new PatternFault(`a count is at most ${maxRepeat}`)
    }
    return [least, most]
  }

  private atom(): Part {
    const c = this.chars[this.at++]
    switch (c) {
      case undefined:
        throw new PatternFault('it ends too early')
      case '^':
        return { kind: 'assert', assertion: 'start' }
      case '$':
        return { kind: 'assert', assertion: 'end' }
      case '.':
        return {
          kind: 'char',
          test: (code) => code !== 10 && code !== 13 && code !== 0x2028 && code !== 0x2029,
        }
      case '(':
        return this.group()
      case '[':
        return { kind: 'char', test: this.set() }
      case '\\':
        return this.escape()
      case '*':
      case '+':
      case '?':
      case '{':
        throw new PatternFault(`nothing to repeat before '${c}'`)
      default:
        return literal(c)
    }
  }

  private group(): Part {
    if (this.peek() === '?') {
      if (this.chars[this.at + 1] !== ':') throw new PatternFault("of '(?' groups only '(?:' is supported")
      this.at += 2
    }
    const part = this.choice()
    if (this.peek() !== ')') throw new PatternFault("a ')' is missing")
    this.at++
    return part.kind === 'sequence' ? part : { kind: 'sequence', parts: [part] }
  }

  private escape(): Part {
    const c = this.chars[this.at]
    if (c === 'b' || c === 'B') {
      this.at++
      return { kind: 'assert', assertion: c === 'b' ? 'word' : 'not-word' }
    }
    return { kind: 'char', test: this.escapedTest() }
  }

  /** What follows a backslash, also inside `[ ]`. */
  private escapedTest(): Test {
    const c = this.chars[this.at]
    const known = c === undefined ? undefined : classes[c]
    if (known !== undefined) {
      this.at++
      return known
    }
    const code = this.escapedCode()
    return (other) => other === code
  }

  private escapedCode(): number {
    const c = this.chars[this.at++]
    if (c === undefined) throw new PatternFault('it ends with a backslash')
    const control = controls[c]
    if (control !== undefined) return control
    if (c === 'u' || c === 'x') {
      const length = c === 'u' ? 4 : 2
      const digits = this.chars.slice(this.at, this.at + length).join('')
      if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits)) {
        throw new PatternFault(`\\${c} needs ${length} hexadecimal digits`)
      }
      this.at += length
      return parseInt(digits, 16)
    }
    if (/[0-9]/.test(c)) throw new PatternFault('backreferences are not supported')
    if (/[A-Za-z]/.test(c)) throw new PatternFault(`unknown escape '\\${c}'`)
    return c.codePointAt(0) ?? 0
  }

  private set(): Test {
    const negated = this.peek() === '^'
    if (negated) this.at++
    const tests: Test[] = []
    let first = true
    for (;;) {
      const c = this.peek()
      if (c === undefined) throw new PatternFault("a ']' is missing")
      if (c === ']' && !first) break
      first = false
      const low = this.setMember()
      if (typeof low !== 'number') {
        tests.push(low)
        continue
      }
      const next = this.chars[this.at + 1]
      if (this.peek() === '-' && next !== undefined && next !== ']') {
        this.at++
        const high = this.setMember()
        if (typeof high !== 'number') throw new PatternFault('a range must end in a character')
        if (high < low) throw new PatternFault('a range is out of order')
        tests.push((code) => code >= low && code <= high)
      } else {
        tests.push((code) => code === low)
      }
    }
    this.at++
    return negated ? (code) => !tests.some((t) => t(code)) : (code) => tests.some((t) => t(code))
  }

  private setMember(): number | Test {
    const c = this.chars[this.at++]
    if (c !== '\\') return c?.codePointAt(0) ?? 0
    const escaped = this.chars[this.at]
    const known = escaped === undefined ? undefined : classes[escaped]
    if (known !== undefined) {
      this.at++
      return known
    }
    if (escaped === 'b') {
      this.at++
      return 8
    }
    return this.escapedCode()
  }
}

function literal(c: string): Part {
  const code = c.codePointAt(0)
  return { kind: 'char', test: (other) => other === code }
}

/** A state: consume a character, check a place, go on at several, or accept. */
type State =
  | { kind: 'char'; test: Test; next: number }
  | { kind: 'assert'; assertion: Assertion; next: number }
  | { kind: 'fork'; next: number[] }
  | { kind: 'accept' }

class Automaton {
  readonly states: State[] = [{ kind: 'accept' }]

  private add(state: State): number {
    if (this.states.length >= maxStates) throw new PatternFault('it is too large')
    this.states.push(state)
    return this.states.length - 1
  }

  /** Builds the part so that it goes on at `next`; answers where it begins. */
  build(part: Part, next: number): number {
    switch (part.kind) {
      case 'char':
        return this.add({ kind: 'char', test: part.test, next })
      case 'assert':
        return this.add({ kind: 'assert', assertion: part.assertion, next })
      case 'sequence':
        return part.parts.reduceRight((after, p) => this.build(p, after), next)
      case 'choice':
        return this.add({ kind: 'fork', next: part.options.map((option) => this.build(option, next)) })
      case 'repeat':
        return this.repeat(part, next)
    }
  }

  private repeat(part: { part: Part; least: number; most: number }, next: number): number {
    let begin = next
    if (part.most === Infinity) {
      const loop = this.add({ kind: 'fork', next: [next] })
      const body = this.build(part.part, loop)
      const state = this.states[loop]
      if (state?.kind === 'fork') state.next.unshift(body)
      begin = loop
    } else {
      for (let i = part.least; i < part.most; i++) {
        begin = this.add({ kind: 'fork', next: [this.build(part.part, begin), next] })
      }
    }
    for (let i = 0; i < part.least; i++) begin = this.build(part.part, begin)
    return begin
  }
}

function run(states: readonly State[], begin: number, text: string): boolean {
  const chars = Array.from(text, (c) => c.codePointAt(0) ?? 0)
  let current: number[] = []
  const mark = new Int32Array(states.length).fill(-1)
  const holds = (assertion: Assertion, at: number): boolean => {
    if (assertion === 'start') return at === 0
    if (assertion === 'end') return at === chars.length
    const before = at > 0 && isWord(chars[at - 1] ?? 0)
    const after = at < chars.length && isWord(chars[at] ?? 0)
    return (before !== after) === (assertion === 'word')
  }
  /** Follows everything that consumes nothing; true when the end of the pattern is reached. */
  const enter = (first: number, at: number): boolean => {
    const stack = [first]
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (mark[id] === at) continue
      mark[id] = at
      const state = states[id]
      if (state === undefined || state.kind === 'accept') return true
      if (state.kind === 'char') current.push(id)
      else if (state.kind === 'fork') stack.push(...state.next)
      else if (holds(state.assertion, at)) stack.push(state.next)
    }
    return false
  }
  for (let at = 0; ; at++) {
    if (enter(begin, at)) return true
    if (at === chars.length) return false
    const code = chars[at] ?? 0
    const before = current
    current = []
    for (const id of before) {
      const state = states[id]
      if (state?.kind === 'char' && state.test(code) && enter(state.next, at + 1)) return true
    }
  }
}

const cache = new Map<string, Result<Pattern, string>>()

/** Compiles a pattern, or says in words what is wrong with it. Compiled patterns are kept (a few hundred). */
export function compilePattern(source: string): Result<Pattern, string> {
  const known = cache.get(source)
  if (known) return known
  const result = compile(source)
  if (cache.size > 500) cache.clear()
  cache.set(source, result)
  return result
}

function compile(source: string): Result<Pattern, string> {
  if (source.length > maxPatternLength) {
    return { ok: false, error: `it is longer than ${maxPatternLength} characters` }
  }
  try {
    const automaton = new Automaton()
    const begin = automaton.build(new PatternParser(Array.from(source)).parse(), 0)
    const { states } = automaton
    return { ok: true, value: { test: (text) => run(states, begin, text), cost: states.length } }
  } catch (error) {
    if (error instanceof PatternFault) return { ok: false, error: error.message }
    throw error
  }
}
