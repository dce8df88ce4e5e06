import { EvaluationError, ParseError, TypeError as CelTypeError, type ASTNode } from '@marcbachmann/cel-js'
import { budgetSpent, constantBudget, evaluationBudget, openBudget, spend, weightOf } from './budget'
import { ExpressionFault } from './fault'
import { library } from './functions'
import { lower } from './lowering'
import { plainWords } from './plain-words'
import { findReads, pathOf, type Reads } from './reads'
import { toJson } from './result'
import type { Evaluated, Expression, ExpressionError, Scope, SyntaxIssue } from './types'
import { evaluationWatch } from './watch'
import type { Result } from '@/core/pipeline/json'
import { didYouMean } from '@/core/pipeline/suggest'

/**
 * What stands inside `{{ }}`: a CEL expression over variables (R-81), parsed once, evaluated often, never able to do
 * anything but compute. It cannot reach a prototype, a clock, or anything that was not passed in.
 */

export type { Evaluated, Expression, ExpressionError, Reference, Scope, SyntaxIssue } from './types'

/** Longest expression, in characters. */
const maxExpressionLength = 4_000

const words: Record<string, string> = { and: '&&', or: '||', not: '!' }

/** Text between quotes blanked out, so that words and operators in strings are not mistaken for the author's. */
function withoutStrings(source: string): string {
  return source.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, (text) => ' '.repeat(text.length))
}

/** The usual mistakes, reported instead of the parser's own messages (R-81). */
function slip(source: string): SyntaxIssue | null {
  const code = withoutStrings(source)
  const word = /(?<![\w.])(and|or|not)(?=\s|\(|$)/.exec(code)
  if (word?.[1]) {
    return {
      message: `'${word[1]}' is not an operator`,
      hint: `write ${words[word[1]]} instead of ${word[1]}`,
      position: word.index,
    }
  }
  const triple = /[=!]==/.exec(code)
  if (triple) {
    const shorter = triple[0].slice(0, 2)
    return { message: `'${triple[0]}' is not an operator`, hint: `write ${shorter}`, position: triple.index }
  }
  const assignment = /(?<![=!<>])=(?!=)/.exec(code)
  if (assignment) {
    return { message: "'=' is not an operator", hint: 'write == to compare', position: assignment.index }
  }
  if (/(?<![\w.])event:/.test(code)) {
    return {
      message: "'event:' cannot stand inside {{ }}",
      hint: 'events stand outside the braces: event:a.completed && {{ a.rows > 0 }}',
    }
  }
  return null
}

const cache = new Map<string, Result<Expression, SyntaxIssue>>()
/** Characters of all cached expressions, each counted as 100 more for what is cached beside its text. */
const mostCached = 2_000_000
let cached = 0

/**
 * Parses the text between the braces. Answers the expression or one issue with the position of the mistake.
 * Parsed expressions are cached: they are immutable and compiling a definition happens at every load.
 */
export function parseExpression(source: string): Result<Expression, SyntaxIssue> {
  const text = source.trim()
  const known = cache.get(text)
  if (known) return known
  const result = parse(text)
  cached += text.length + 100
  if (cached > mostCached) {
    cache.clear()
    cached = text.length + 100
  }
  cache.set(text, result)
  return result
}

function parse(source: string): Result<Expression, SyntaxIssue> {
  if (source === '') return { ok: false, error: { message: 'the expression is empty' } }
  if (source.length > maxExpressionLength) {
    return {
      ok: false,
      error: { message: `the expression is longer than ${maxExpressionLength} characters` },
    }
  }
  let ast: ASTNode
  let reads: Result<Reads, SyntaxIssue>
  try {
    ast = library().environment.parse(source).ast
    reads = findReads(ast)
  } catch (error) {
    return { ok: false, error: slip(source) ?? celIssue(error) }
  }
  if (!reads.ok) return { ok: false, error: slip(source) ?? reads.error }
  try {
    const lowered = lower(ast)
    const checked = library().lowered.check(lowered)
    if (!checked.valid) return { ok: false, error: slip(source) ?? celIssue(checked.error) }
    // Made at the first evaluation: validation needs no program, and programs are most of what an expression weighs.
    let program: ((context: Record<string, unknown>) => unknown) | undefined
    const expression: Expression = {
      source,
      reads: reads.value.references,
      locals: reads.value.locals,
      members: reads.value.members,
      type: checked.type ?? 'dyn',
      run: (context) => (program ??= library().lowered.parse(lowered))(context),
    }
    if (expression.reads.length === 0 && expression.locals.length === 0) {
      // Nothing is missing that evaluation would bring: its error, if any, is known now.
      openBudget(constantBudget)
      const evaluated = evaluateWithin(expression, { lookup: () => undefined, names: () => [] })
      // Too much work for validation is left to the run, which has more time.
      if (!evaluated.ok && evaluated.error.message === budgetSpent.message)
        return { ok: true, value: expression }
      if (!evaluated.ok) return { ok: false, error: { message: evaluated.error.message } }
      const type = typeof evaluated.value === 'boolean' ? 'bool' : typeof evaluated.value
      return { ok: true, value: { ...expression, type } }
    }
    return { ok: true, value: expression }
  } catch (error) {
    return { ok: false, error: slip(source) ?? celIssue(error) }
  }
}

function celIssue(error: unknown): SyntaxIssue {
  if (error instanceof ParseError || error instanceof CelTypeError) {
    const position = error instanceof ParseError ? error.range?.start : undefined
    const message = plainWords(error.summary)
    return position === undefined ? { message } : { message, position }
  }
  if (error instanceof ExpressionFault) return { message: error.message }
  if (error instanceof RangeError) return { message: 'the expression is nested too deeply' }
  throw error
}

/**
 * Evaluates over a scope. The value is plain JSON: no BigInt, no date, no number that JSON cannot hold. Values
 * are not copied when the expression is a single variable; callers must not change them.
 * Errors: a read variable that is not there (`variable_not_found`, N-O1), anything else `expression_error`.
 */
export function evaluate(expression: Expression, scope: Scope): Evaluated {
  openBudget(evaluationBudget)
  return evaluateWithin(expression, scope)
}

/** As `evaluate`, within the budget that is open: all expressions of one template share theirs. */
export function evaluateWithin(expression: Expression, scope: Scope): Evaluated {
  // The most common expression by far, one variable, needs no evaluator.
  const watch = evaluationWatch()
  watch?.read(expression.reads.length)
  const [only] = expression.reads
  if (only && expression.source === only.name) {
    const found = scope.lookup(only.name)
    if (!found || found.value === undefined) return { ok: false, error: missing(only.name, scope) }
    return spend(found.bytes === undefined ? weightOf(found.value) : found.bytes >> 7)
      ? { ok: true, value: found.value }
      : { ok: false, error: { kind: 'expression_error', message: budgetSpent.message } }
  }
  const member = memberOfLocal(expression, scope)
  if (member !== undefined) return { ok: true, value: member }
  if (watch === null) return compute(expression, scope)
  const begun = watch.now()
  const evaluated = compute(expression, scope)
  watch.evaluated(watch.now() - begun, evaluated.ok)
  return evaluated
}

function compute(expression: Expression, scope: Scope): Evaluated {
  const context = contextOf(expression, scope)
  try {
    return toJson(expression.run(context))
  } catch (error) {
    return { ok: false, error: evaluationError(error, expression, scope) }
  }
}

/** `result.rows` and nothing else is handed on as it is, like a variable: an output may be large. */
function memberOfLocal({ source, reads, locals }: Expression, scope: Scope): unknown {
  const [local] = locals
  if (reads.length > 0 || locals.length !== 1 || local === undefined) return undefined
  const whole = scope.locals?.[local]
  const name = source.slice(local.length + 1)
  if (source !== `${local}.${name}` || typeof whole !== 'object' || whole === null) return undefined
  return Object.hasOwn(whole, name) ? (whole as Record<string, unknown>)[name] : undefined
}

/** Evaluates a condition: as `evaluate`, and anything but true or false is an `expression_error` (R-10). */
export function evaluateCondition(
  expression: Expression,
  scope: Scope,
): { ok: true; value: boolean } | { ok: false; error: ExpressionError } {
  const result = evaluate(expression, scope)
  if (!result.ok) return result
  if (typeof result.value === 'boolean') return { ok: true, value: result.value }
  const message = `'${expression.source}' must be true or false; compare it with something`
  return { ok: false, error: { kind: 'expression_error', message } }
}

/** Only what the expression names, so that an evaluation costs what it reads, not what the run holds. */
function contextOf(expression: Expression, scope: Scope): Record<string, unknown> {
  const context: Record<string, unknown> = Object.create(null)
  const room = (parent: Record<string, unknown>, key: string): Record<string, unknown> =>
    (parent[key] ??= Object.create(null)) as Record<string, unknown>
  for (const { name, root, variable } of expression.reads) {
    const [first = root, second] = root.split('.')
    const place = second === undefined ? room(context, first) : room(room(context, first), second)
    const found = scope.lookup(name)
    if (found && found.value !== undefined) place[variable] = found.value
  }
  for (const local of expression.locals) {
    if (scope.locals && Object.hasOwn(scope.locals, local)) context[local] = scope.locals[local]
  }
  return context
}

function missing(name: string, scope: Scope): ExpressionError {
  const lost = scope.lookup(name)?.lost
  if (lost !== undefined) return { kind: 'variable_not_found', message: `variable ${name}: ${lost}` }
  const hint = didYouMean(name, scope.names())
  return { kind: 'variable_not_found', message: `variable ${name} is not there${hint ? `; ${hint}` : ''}` }
}

function evaluationError(error: unknown, expression: Expression, scope: Scope): ExpressionError {
  const fault = (message: string): ExpressionError => ({ kind: 'expression_error', message })
  if (error === budgetSpent || error instanceof ExpressionFault) return fault((error as Error).message)
  if (error instanceof RangeError && error.message.startsWith('Invalid time zone'))
    return fault(`there is no such time zone: ${error.message.split(': ').at(-1)}`)
  if (error instanceof RangeError)
    return fault('the expression is nested too deeply or its result is too large')
  if (error instanceof EvaluationError || error instanceof CelTypeError) {
    if (error.code === 'no_such_key' && error.node) {
      const path = pathOf(error.node)
      const read = path && expression.reads.find(({ name }) => name === path)
      if (read && scope.lookup(read.name)?.value === undefined) return missing(read.name, scope)
    }
    if (error.code === 'unknown_variable' && error.node?.op === 'id') {
      return { kind: 'variable_not_found', message: `${error.node.args} is not known here` }
    }
    if (error.code === 'no_such_key' && error.node) {
      const path = pathOf(error.node)
      if (path !== null) return fault(`there is no ${path}`)
    }
    return fault(plainWords(error.summary))
  }
  throw error
}
