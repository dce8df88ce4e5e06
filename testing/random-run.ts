import { refusalByHand } from '@/core/engine/decide/by-hand'
import { byHandOutputs } from './by-hand-outputs'
import { EngineRun } from './engine-run'
import { person } from './person'
import { Random } from './simulation/random'
import { randomPipeline } from './simulation/random-pipeline'

/** A run of a random pipeline in which everything happens that can: tries, losses, decisions, pauses, reruns, cancels. */
export function randomRun(seed: number): EngineRun {
  const random = new Random(seed)
  const { definition } = randomPipeline(random, 'p', random.whole(2, 10), [])
  const run = new EngineRun(definition, { slots: random.whole(1, 3) })
  for (let steps = 0; steps < 80; steps += 1) {
    run.now += random.pick([0, 0, 1, 7, 300, 2_500])
    act(run, random)
  }
  return run
}

function act(run: EngineRun, random: Random): void {
  const { state } = run
  for (const attempt of state.inFlight.values())
    if (attempt.beginBy !== null) run.take({ type: 'begin_attempt', key: attempt })
  const flight = [...state.inFlight.values()].filter(({ placement }) => placement !== 'engine')
  const over = state.finishedAt !== null
  const waiting = [...state.nodes].filter(([, node]) => node.status === 'waiting' && node.approval !== null)
  const someone = person(`p${random.whole(0, 99)}`, ['approver', 'operator'])
  const attempt = flight.length > 0 && random.chance(0.6) ? random.pick(flight) : null
  if (attempt !== null) {
    const ending = random.pick(['complete', 'complete', 'complete', 'fail', 'lose'])
    if (ending === 'complete')
      run.take({ type: 'complete_attempt', key: attempt, outputs: random.chance(0.7) ? { v: 1 } : {} })
    else if (ending === 'lose') run.take({ type: 'lose_attempt', key: attempt, reason: 'gone' })
    else run.take({ type: 'fail_attempt', key: attempt, error: { kind: 'task_failed', message: 'no' } })
  } else if (over ? random.chance(0.1) : random.chance(0.03)) {
    run.take({ type: 'rerun', nodes: [random.pick([...state.nodes.keys()])], actor: someone })
  } else if (random.chance(0.05) && stuckOf(run).length > 0) {
    const node = random.pick(stuckOf(run))
    run.take({
      type: 'complete_by_hand',
      node,
      outputs: byHandOutputs(run.state, node),
      reason: 'done',
      actor: someone,
    })
  } else if (!over && random.chance(0.01)) run.take({ type: 'cancel', reason: null, actor: someone })
  else if (!over && state.cancelling === null && random.chance(state.paused ? 0.6 : 0.06)) {
    if (state.paused) run.take({ type: 'resume', actor: someone })
    else run.take({ type: 'pause', reason: null, hard: random.chance(0.5), actor: someone })
  } else if (!over && waiting.length > 0 && random.chance(0.4)) {
    const word = random.chance(0.8) ? 'approved' : 'rejected'
    run.event(`external.${random.pick(waiting)[0]}.${word}`, {}, someone)
  } else if (!over && random.chance(0.15)) run.event(`external.e${random.whole(0, 2)}`, {}, someone)
  else run.take({ type: 'tick' })
  // Whoever has got no slot asks for it as soon as there is one.
  for (const id of [...state.awaitingSlot, ...state.nodes.keys()])
    if (canAdmit(run, id)) run.take({ type: 'admit', node: id })
}

const stuckOf = ({ state }: EngineRun): string[] =>
  [...state.nodes.keys()].filter((id) => refusalByHand(state, id) === null)

function canAdmit({ state }: EngineRun, id: string): boolean {
  const node = state.nodes.get(id)!
  return node.status === 'queued' && !state.paused && state.cancelling === null && state.held.size === 0
}
