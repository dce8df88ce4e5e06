import { evaluateWithin, type Expression } from './expression'
import { constantBudget, openBudget } from './budget'

const certain = new WeakMap<Expression, boolean>()

/**
 * Whether an expression always reads all that it names, so that it fails when something is not there. Where `has`, `?:`, `&&` or `||`
 * may leave something unread, nothing is said.
 */
export function isCertain(expression: Expression): boolean {
  const known = certain.get(expression)
  if (known !== undefined) return known
  const code = expression.source.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, "''")
  const found = !/\?|&&|\|\||\bhas\s*\(/.test(code)
  certain.set(expression, found)
  return found
}

const constants = new WeakMap<Expression, boolean>()

/** The answer of a condition that reads nothing, or null: it depends, or it is more work than a proof may do. */
export function constantOf(expression: Expression): boolean | null {
  if (expression.reads.length > 0 || expression.locals.length > 0) return null
  const known = constants.get(expression)
  if (known !== undefined) return known
  openBudget(constantBudget)
  const result = evaluateWithin(expression, { lookup: () => undefined, names: () => [] })
  if (!result.ok || typeof result.value !== 'boolean') return null
  constants.set(expression, result.value)
  return result.value
}
