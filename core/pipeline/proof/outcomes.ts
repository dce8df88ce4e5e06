import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { errorVariable } from '@/core/pipeline/definition/reserved'

/**
 * How a node ends in a run that is neither cancelled nor continued from another, as sets of bits: what a proof knows of a node is
 * which ends are left to it.
 */
export const ends = {
  /** Of an approval: approved. */
  completed: 1,
  failed: 2,
  skipped: 4,
  rejected: 8,
  timeout: 16,
  /** A condition of its gate could not be evaluated: it failed without a start. */
  errored: 32,
} as const

export const failures = ends.failed | ends.rejected | ends.timeout
export const started = ends.completed | failures

/** How a node ends, in the words of its events. */
export type Outcome = 'completed' | 'failed' | 'skipped' | 'approved' | 'rejected' | 'timeout'

/** The word for an end. */
export function outcomeOf(node: CompiledNode, end: number): Outcome {
  switch (end) {
    case ends.completed:
      return node.kind === 'approval' ? 'approved' : 'completed'
    case ends.skipped:
      return 'skipped'
    case ends.rejected:
      return 'rejected'
    case ends.timeout:
      return 'timeout'
    default:
      return 'failed'
  }
}

/** Every end that a node may have when its gate lets it; `errored` where its gate can be at fault. */
export function endsOf(node: CompiledNode, errored: boolean): number {
  const own = ends.completed | ends.failed | ends.skipped | (errored ? ends.errored : 0)
  if (node.kind !== 'approval') return own
  const expires =
    approvalInput(node, 'timeout') !== undefined && approvalInput(node, 'onTimeout') !== 'approve'
  return own | ends.rejected | (expires ? ends.timeout : 0)
}

/** The ends after which a variable of the node is there: what it made, or its `error`. An approval says who decided either way. */
export function endsMaking(node: CompiledNode, variable: string): number {
  if (variable === errorVariable && !node.outputNames.includes(variable)) return failures | ends.errored
  return node.kind === 'approval' ? ends.completed | ends.rejected : ends.completed
}

function approvalInput(node: CompiledNode, name: string): unknown {
  const bindings = node.definition.inputBindings
  return bindings && Object.hasOwn(bindings, name) ? bindings[name] : undefined
}

/**
 * The ends with which an event of a node has come (`surely`), and those with which it may have come or not (`perhaps`): how often an
 * attempt is tried, or whether it waited for a slot, no end says. A cancelled run starts nothing more, so that
 * `cancelled` opens no gate.
 */
export function endsWith(node: CompiledNode, event: string): { surely: number; perhaps: number } {
  switch (event) {
    case 'started':
      return { surely: started, perhaps: 0 }
    case 'completed':
    case 'approved':
      return { surely: ends.completed, perhaps: 0 }
    case 'failed':
      return { surely: failures | ends.errored, perhaps: 0 }
    case 'skipped':
      return { surely: ends.skipped, perhaps: 0 }
    case 'rejected':
      return { surely: ends.rejected, perhaps: 0 }
    case 'timeout': {
      const approves = approvalInput(node, 'onTimeout') === 'approve'
      return { surely: ends.timeout, perhaps: approves ? ends.completed : 0 }
    }
    case 'cancelled':
      return { surely: 0, perhaps: 0 }
    default: {
      // Waiting for an external event is an event too, and a queued node may yet be skipped.
      const asked = node.kind === 'approval' && event === 'waiting' ? started & ~ends.failed : 0
      return { surely: asked, perhaps: (started | ends.skipped | ends.errored) & ~asked }
    }
  }
}
