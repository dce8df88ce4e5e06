import { checkText } from '@/core/engine/decide/checks'
import type { ExecutionState } from '@/core/engine/state'
import type { CheckView } from './view'

/** The checks of the pipeline and what they gave; with `node` only those that read it. */
export function checksView({ pipeline, checks }: ExecutionState, node?: string): readonly CheckView[] {
  return pipeline.verify.flatMap(({ name, expression }, at): CheckView[] => {
    if (node !== undefined && !expression.reads.some(({ root }) => root === node)) return []
    const result = checks[at]
    if (result === undefined) return [{ name, held: null, text: null }]
    return [{ name, held: result.held, text: result.held ? null : checkText(result) }]
  })
}
