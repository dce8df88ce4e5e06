/**
 * What one evaluation may cost. CEL always ends, but nested macros over large lists end late, and the engine
 * evaluates on its only thread. Every macro step and every large operand takes from the budget; when
 * it is spent the evaluation fails. Evaluation is synchronous and never nested, so one counter is enough.
 */

/** Units of work of one evaluation, or of one template: a macro step, 8 list elements, 2 members of a map or 64 characters each cost one. */
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
  if (!spend(units)) throw budgetSpent
}

/** As `charge`, for callers that do not throw: false when the budget is spent. */
export function spend(units: number): boolean {
  remaining -= units
  return remaining >= 0
}

/** Costs of lists and maps that were looked at: values do not change, so neither do these. */
const touched = new WeakMap<object, number>()

/**
 * What handing a value to a function costs. The library looks at the first member of a list or map, at the first member of
 * that and so on, and to find the first of a map it enumerates all.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 6
  if (typeof value !== 'object' || value === null) return 0
  const known = touched.get(value)
  if (known !== undefined) return known
  let cost: number
  if (Array.isArray(value)) {
    cost = (value.length >> 3) + insideOf(value[0])
  } else {
    const keys = Object.keys(value)
    cost =
      (keys.length >> 1) + (keys[0] === undefined ? 0 : insideOf((value as Record<string, unknown>)[keys[0]]))
  }
  touched.set(value, cost)
  return cost
}

function insideOf(first: unknown): number {
  return typeof first === 'object' ? sizeOf(first) : 0
}

/** Costs of whole lists and maps, as above. */
const whole = new WeakMap<object, number>()

/** What copying all of a value, or writing it as JSON, costs. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 6
  if (typeof value !== 'object' || value === null) return 0
  const known = whole.get(value)
  if (known !== undefined) return known
  let cost = 1
  if (Array.isArray(value)) {
    cost += value.length >> 3
    for (const item of value) cost += weightOf(item)
  } else {
    const keys = Object.keys(value)
    cost += keys.length >> 1
    for (const key of keys) cost += (key.length >> 6) + weightOf((value as Record<string, unknown>)[key])
  }
  whole.set(value, cost)
  return cost
}
