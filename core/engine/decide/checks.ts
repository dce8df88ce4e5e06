import { cutText } from '@/core/pipeline/cut-text'
import type { Check } from '@/core/pipeline/definition/compile'
import { evaluateCondition } from '@/core/pipeline/expression/expression'
import type { Scope } from '@/core/pipeline/expression/types'
import type { NodeError } from '@/core/engine/event'
import type { ExecutionState } from '@/core/engine/state'
import type { CheckResult } from '@/core/engine/typed-event'
import { scopeOf } from './scope'

/** Characters of what one check says in the event: what all checks of a pipeline say has room in one payload. */
const MOST_TEXT = 200
/** Values that are named of one check. */
const MOST_VALUES = 5
const MOST_VALUE_TEXT = 60

/** What every check gives now: it holds, it does not and what was found instead, or it cannot be evaluated [H-1]. */
export function resultsOfChecks(state: ExecutionState): readonly CheckResult[] {
  const scope = scopeOf(state)
  return state.pipeline.verify.map((check) => resultOf(check, scope))
}

function resultOf({ name, expression }: Check, scope: Scope): CheckResult {
  const answer = evaluateCondition(expression, scope)
  if (!answer.ok) {
    const { kind, message } = answer.error
    return { name, held: false, error: { kind, message: cutText(message, MOST_TEXT) } }
  }
  if (answer.value) return { name, held: true }
  const values = expression.reads.slice(0, MOST_VALUES).map((read) => {
    const text = JSON.stringify(scope.lookup(read.name)?.value ?? null)
    return `${read.name} is ${text.length > MOST_VALUE_TEXT ? `${cutText(text, MOST_VALUE_TEXT)}…` : text}`
  })
  const more = expression.reads.length - values.length
  const found = [...values, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
  return { name, held: false, found: cutText(found, MOST_TEXT) }
}

/** Failed checks that the error of a run names. */
const MOST_NAMED = 10

/** The error of a run of which checks do not hold; null: all of them do. */
export function errorOfChecks(results: readonly CheckResult[]): NodeError | null {
  const failed = results.filter(({ held }) => !held)
  if (failed.length === 0) return null
  const named = failed.slice(0, MOST_NAMED).map((one) => `'${one.name}': ${checkText(one)}`)
  const more = failed.length > MOST_NAMED ? `; and ${failed.length - MOST_NAMED} more` : ''
  const count = failed.length === 1 ? 'a check does' : `${failed.length} checks do`
  return { kind: 'verify_failed', message: `${count} not hold: ${named.join('; ')}${more}` }
}

/** What was found of a check that does not hold. */
export const checkText = ({ error, found }: Pick<CheckResult, 'error' | 'found'>): string =>
  error === undefined ? found || 'it is false' : error.message
