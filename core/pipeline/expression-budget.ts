/**
 * What one evaluation may cost. CEL always ends, but nested macros over large lists end late, and the engine
 * evaluates on its only thread. Every macro step and every large operand takes from the budget; when
 * it is spent the evaluation fails. Evaluation is synchronous and never nested, so one counter is enough.
 */

/** Units of work of one evaluation: a macro step, 8 list elements or 64 characters each cost one. */
export const evaluationBudget = 500_000

let remaining = 0

/** Thrown, always the same one: an error with a fresh stack at every step would itself be the cost. */
export const budgetSpent = new Error('the expression is too expensive: it looks at too many values')

/** Begins an evaluation. */
export function openBudget(): void {
  remaining = evaluationBudget
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
