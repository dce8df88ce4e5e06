import { isRecord } from '@/core/pipeline/json'
import type { NodeError } from './event'
import type { ExecutionState } from './state'

/** The run that a person cancelled, as the failure of the node that waited for it names it, at any depth. */
function cancelledRunOf({ detail }: NodeError): string | null {
  const id = isRecord(detail) ? detail['cancelled_execution_id'] : undefined
  return typeof id === 'string' ? id : null
}

/**
 * A run below this one that a person cancelled, so that a node here failed: whoever begins this run again would begin that one again,
 * and a person's cancel is final.
 */
export function cancelledBelow(state: ExecutionState): string | null {
  for (const [id, node] of state.nodes) {
    const compiled = state.pipeline.nodes.get(id)
    if (compiled === undefined || compiled.child === null || compiled.finally) continue
    const errors = (node.items?.errors ?? []).map(({ error }) => error)
    if (node.status === 'failed') errors.push(node.error)
    for (const error of errors) {
      const found = cancelledRunOf(error)
      if (found !== null) return found
    }
  }
  return null
}
