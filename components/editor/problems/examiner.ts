import { createChecker, type Finding } from '@/core/pipeline/check/check'
import { limits } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import { withChange, type Change } from './change'

/** What became of the definition since the last question; null: it is to be looked at again. */
export type Question = { readonly change: Change | null }

/** Keeps a definition and all that is known of it, so that a question costs what changed. The server's own settings are its own. */
export function createExaminer(): (question: Question) => readonly Finding[] {
  const check = createChecker({ tasks: taskCatalog, maxNodes: limits.nodes })
  let definition: unknown
  return ({ change }) => {
    if (change !== null) definition = withChange(definition, change)
    return check(definition).findings
  }
}
