import type { Responder } from '@/components/editor/model/background'
import { createChecker, type Finding } from '@/core/pipeline/check/check'
import { limits } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import { applyPatch, type Patch } from './definition-patch'

/** How the definition changed since the last question; null: it did not, check it again. */
export type Question = { readonly patch: Patch | null }

export type Checker = Responder<Question, readonly Finding[]>

/**
 * Checks one definition again and again. It keeps the definition and everything that was found of it, so that a question costs only
 * what changed. Settings of the server, such as lower limits, are not known here.
 */
export function createDraftChecker(): (question: Question) => readonly Finding[] {
  const check = createChecker({ tasks: taskCatalog, maxNodes: limits.nodes })
  let definition: unknown
  return ({ patch }) => {
    if (patch !== null) definition = applyPatch(definition, patch)
    return check(definition).findings
  }
}
