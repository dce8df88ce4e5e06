import { evaluateGate } from './gate'
import { formatInstant } from './instant'
import type { ExecutionState } from './state'
import { attemptId, isFinished, isTerminal, nodeOf } from './state'
import type { WaitingFor } from './view'

/**
 * Who must act next for a node that is not terminal: an attempt, a slot, a timer, people, an event or other nodes.
 * Every such node has an answer; that is an invariant [DESIGN: nothing is ever just stuck].
 */
export function waitingFor(state: ExecutionState, id: string): WaitingFor | null {
  const node = nodeOf(state, id)
  if (isTerminal(node.status)) return null
  switch (node.status) {
    case 'queued':
      return { kind: 'slot', text: 'waits for a free slot', names: [] }
    case 'running': {
      const attempt = state.inFlight.get(attemptId(id, null))
      const text = attempt?.stopping ? 'is told to end' : `attempt ${node.attempts} is running`
      return attempt === undefined ? null : { kind: 'attempt', text, names: [] }
    }
    case 'waiting': {
      if (node.approval === null) {
        const due = state.timers.get('wait', id)
        return due === undefined
          ? null
          : { kind: 'timer', text: `waits until ${formatInstant(due.dueAt)}`, names: [] }
      }
      const missing =
        node.approval.quorum - node.approval.votes.filter((vote) => vote.decision === 'approved').length
      const text = `waits for ${missing === 1 ? 'a decision' : `${missing} decisions`} of ${node.approval.approvers.join(', ')}`
      return { kind: 'people', text, names: node.approval.approvers }
    }
    case 'pending':
      return pending(state, id)
    default:
      return null
  }
}

function pending(state: ExecutionState, id: string): WaitingFor | null {
  const compiled = state.pipeline.nodes.get(id)
  if (compiled === undefined) return null
  if (state.startedAt === null) return { kind: 'engine', text: 'the run has not started', names: [] }
  if (compiled.finally && !isFinished(state))
    return { kind: 'nodes', text: 'runs after the end of the run', names: [] }
  const producers = new Set<string>()
  const external = new Set<string>()
  const note = (type: string) => {
    const source = type.slice(0, type.indexOf('.'))
    if (state.events.has(type)) return
    if (source === 'external') external.add(type)
    else if (source !== 'pipeline' && !isTerminal(nodeOf(state, source).status)) producers.add(source)
  }
  for (const type of compiled.gateEvents) note(type)
  for (const [source, readers] of state.pipeline.conditionReaders) {
    if (readers.includes(id) && !isTerminal(nodeOf(state, source).status)) producers.add(source)
  }
  if (evaluateGate(state, compiled).onlyExternalPending && external.size > 0) {
    return { kind: 'event', text: `waits for ${[...external].join(' or ')}`, names: [...external] }
  }
  if (producers.size === 0) return null
  return { kind: 'nodes', text: `waits for ${[...producers].join(', ')}`, names: [...producers] }
}
