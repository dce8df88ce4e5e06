/**
 * What one evaluation may cost. CEL always ends, but nested macros over large lists end late, and the engine
 * evaluates on its only thread. Every macro step and every large operand takes from the budget; when
 * it is spent the evaluation fails. Evaluation is synchronous and never nested, so one counter is enough.
 */

/** Units of work of one evaluation, or of one template: a macro step, 8 list elements or 64 characters each cost one. */
export const evaluationBudget = 500_000
/** Of an expression without variables, which validation evaluates to see whether it is one. */
export const constantBudget = 2_000

let remaining = 0

/** Thrown, always the same one: an error with a fresh stack at every step would itself be the cost. */
export const budgetSpent = new Error('the expression is too expensive: it looks at too many values')

/** Begins an evaluation that may cost so many units. */
export function openBudget(units: number): void {
  remaining = units
}

export function charge(units: number): void {
  remaining -= units
  if (remaining < 0) throw budgetSpent
}

/** What touching all of a value costs. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 6
  if (Array.isArray(value)) return value.length >> 3
  return 0
}
