import { RE2JS, RE2JSSyntaxException } from 're2js'
import type { Result } from '@/core/pipeline/json'

/**
 * Regular expressions in linear time, in RE2's syntax, as CEL says. JavaScript's own backtrack: an author's
 * `(a+)+$` would stop the server. There are no backreferences and no lookaround.
 */
export type Pattern = {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean
  /** States of its automaton: a match costs at most these times the characters of the text. */
  cost: number
}

const maxPatternLength = 500
const maxStates = 2_000
/** Each keeps what it learnt of the texts it saw, up to 8 MB. */
const mostCached = 50

const cache = new Map<string, Result<Pattern, string>>()

/** Compiles a pattern, or says in words what is wrong with it. The last compiled patterns are cached. */
export function compilePattern(source: string): Result<Pattern, string> {
  const known = cache.get(source)
  if (known) return known
  const result = compile(source)
  if (cache.size >= mostCached) cache.clear()
  cache.set(source, result)
  return result
}

function compile(source: string): Result<Pattern, string> {
  const refused = (error: string): Result<Pattern, string> => ({ ok: false, error })
  if (source.length > maxPatternLength) return refused(`it is longer than ${maxPatternLength} characters`)
  if (repeatedLength(source) > maxStates) return refused('it is too large: its counts multiply')
  try {
    const compiled = RE2JS.compile(source)
    const cost = compiled.programSize()
    if (cost > maxStates) return refused('it is too large')
    return { ok: true, value: { test: (text) => compiled.test(text), cost } }
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    return refused(error.input ? `${error.error} '${error.input}'` : error.error)
  }
}

/** A quoted run, an escape, a class, a count, or one character. */
const pieces = /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/g

/**
 * About how long the pattern is with its counts written out: `(ab{10}){3}` is 33. The library writes them out before it
 * gives the size, and `(.{1000})(.{1000})…` would take it long; `{n,}` and what cannot be right count as they stand.
 */
function repeatedLength(source: string): number {
  const outside: number[] = []
  let sum = 0
  let last = 0
  for (const [piece, least, most] of source.matchAll(pieces)) {
    if (piece === '(') {
      outside.push(sum)
      sum = 0
      last = 0
    } else if (piece === ')') {
      last = sum
      sum += outside.pop() ?? 0
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1)
      sum += last * (times - 1)
      last *= times
    } else {
      last = piece.startsWith('\\Q') ? piece.length : 1
      sum += last
    }
  }
  return outside.reduce((total, part) => total + part, sum)
}
