/** `allowed` of one variable, or several of these; without `!`, which the ends and the answers of conditions absorb. */
export type Claim =
  { op: 'is'; variable: number; allowed: number } | { op: 'and' | 'or'; terms: readonly Claim[] }

/** Of a condition, or of an event that no node publishes: it is true, or has come. */
export const yes = 1
export const no = 2

/** What always holds, and what never does. */
export const truly: Claim = { op: 'and', terms: [] }
export const falsely: Claim = { op: 'or', terms: [] }

export const isNot = (variable: number): Claim => ({ op: 'is', variable, allowed: no })

/** Whether a claim holds whatever is chosen of what is left to each variable (true), whatever is chosen does not (false), or neither. */
export function valueOf(claim: Claim, left: readonly number[]): boolean | null {
  if (claim.op === 'is') {
    const all = left[claim.variable] ?? 0
    const some = all & claim.allowed
    return some === 0 ? false : some === all ? true : null
  }
  const decisive = claim.op === 'or'
  let open = false
  for (const term of claim.terms) {
    const value = valueOf(term, left)
    if (value === decisive) return decisive
    open ||= value === null
  }
  return open ? null : !decisive
}
