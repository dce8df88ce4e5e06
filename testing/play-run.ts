import type { JsonObject } from '@/core/engine/event'
import { attemptId, type ExecutionState } from '@/core/engine/state'
import { compiledOf } from '@/core/engine/decide/attempt-outcome'
import { nextWork, type EngineRun } from './engine-run'
import { person } from './person'

/** The most steps of one run before it counts as endless. */
const STEPS = 20_000

/** What a run came to, but for when: equal for two runs in which everybody acted alike. */
export function resultOf(state: ExecutionState): object {
  const nodes = [...state.nodes].map(([id, node]) => [id, node.status])
  const variables = [...state.variables]
    .filter(([name]) => !name.startsWith('system.') && !/\.(decided_at|waited_ms)$/.test(name))
    .filter(([name]) => !name.includes('/'))
    .map(([name, { value }]) => [name, value])
    .toSorted()
  return { lifecycle: state.lifecycle, nodes: Object.fromEntries(nodes), variables, warnings: state.warnings }
}

/**
 * Plays everybody around a run until it is closed, or for `steps` steps: work ends with a result that only the node decides,
 * people decide by the node's name, `external.e0` comes at once and no other, and time passes only when nobody can act.
 */
export function play(run: EngineRun, steps = STEPS): boolean {
  for (let step = 0; step < steps; step++) {
    if (!playStep(run)) return true
  }
  if (steps === STEPS) throw new Error(`the run does not end: ${run.types.slice(-20).join(' ')}`)
  return false
}

function playStep(run: EngineRun): boolean {
  const { state } = run
  if (state.closedAt !== null) return false
  if (state.finishedAt === null && !state.events.has('external.e0')) {
    run.event('external.e0')
    return true
  }
  const attempt = nextWork(state)
  if (attempt !== undefined) {
    const id = attemptId(attempt.node, attempt.item)
    const { task } = compiledOf(state, attempt)
    if (task === 'fail') run.fail(id)
    else run.complete(id, task === 'set' ? run.input(id) : task === 'noop' ? {} : { result: 1 })
    return true
  }
  for (const [id, node] of state.nodes) {
    if (node.status !== 'waiting' || node.approval === null) continue
    const names = ['ada', 'bob'].filter(
      (name) => !node.approval!.votes.some((vote) => vote.approver.name === name),
    )
    const decision = Number(id.slice(1)) % 3 === 0 ? 'rejected' : 'approved'
    run.event(`external.${id}.${decision}`, {} as JsonObject, person(names[0]!, ['approver']))
    return true
  }
  const due = state.timers.next()
  if (due === undefined) throw new Error(`nobody can move the run: ${run.types.slice(-20).join(' ')}`)
  run.pass(Math.max(0, due.dueAt - run.now))
  return true
}
