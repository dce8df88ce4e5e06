import type { ConditionAtom } from './start-when'

/**
 * What a condition asks, so far as its text shows it: conditions of one key are true together, those of one key of which one is
 * `negated` never, and of two that hold one variable against different literals at most one is true. Only forms of which
 * this is certain are looked into; any other condition is its own key.
 */
export type ConditionKey = {
  key: string
  negated: boolean
  /** Of `variable == literal`: the variable. */
  variable?: string
}

const comparison = /^([a-z_][\w.]*)\s*(==|!=|<|>=|>|<=)\s*('[^'\\]*'|"[^"\\]*"|-?[1-9]\d*|0|[a-z_][\w.]*)$/i
const negation = /^!\s*(?:([a-z_][\w.]*)|\(([^()'"]*)\))$/i
const opposite: Readonly<Record<string, string>> = { '!=': '==', '>=': '<', '<=': '>' }

const known = new WeakMap<ConditionAtom['expression'], ConditionKey>()

/** The key of a condition. Kept with the parsed expression, which all gates of the same text share. */
export function conditionKey({ source, expression }: ConditionAtom): ConditionKey {
  const found = known.get(expression) ?? keyOf(source)
  known.set(expression, found)
  return found
}

function keyOf(source: string): ConditionKey {
  const inner = negation.exec(source)
  if (inner) {
    const inside = keyOf((inner[1] ?? inner[2] ?? '').trim())
    return { ...inside, negated: !inside.negated }
  }
  const [, left, operator = '', right = ''] = comparison.exec(source) ?? []
  if (left === undefined) return { key: source, negated: false }
  const positive = opposite[operator] ?? operator
  const literal = /^["']/.test(right) ? `'${right.slice(1, -1)}'` : right
  const key = `${left} ${positive} ${literal}`
  const isLiteral = /^['\d-]/.test(literal)
  return {
    key,
    negated: positive !== operator,
    ...(positive === '==' && isLiteral ? { variable: left } : {}),
  }
}
