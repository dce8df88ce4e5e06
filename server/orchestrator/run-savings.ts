import type { Estimates } from '@/core/engine/timeline/expectation'
import type { Capacities } from '@/core/engine/timeline/play-jobs'
import { savingsOf, type Savings } from '@/core/engine/timeline/savings'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Clock } from '@/server/ports/clock'

/**
 * What runs of a pipeline would gain from faster nodes and more slots. One question after the other, with turns for everybody else in
 * between; the same question about a pipeline is answered from memory.
 */
export function createRunSavings(clock: Pick<Clock, 'defer'>, places: () => Capacities) {
  let last: Promise<unknown> = Promise.resolve()
  const known = new WeakMap<CompiledPipeline, { readonly asked: string; readonly savings: Savings }>()

  async function compute(pipeline: CompiledPipeline, durations: Estimates): Promise<Savings> {
    const capacities = places()
    const asked = JSON.stringify([[...durations], [...capacities]])
    const before = known.get(pipeline)
    if (before?.asked === asked) return before.savings
    const steps = savingsOf(pipeline, durations, capacities)
    let step = steps.next()
    while (step.done !== true) {
      await new Promise<void>((turn) => clock.defer(turn))
      step = steps.next()
    }
    known.set(pipeline, { asked, savings: step.value })
    return step.value
  }

  return function ask(pipeline: CompiledPipeline, durations: Estimates): Promise<Savings> {
    const answer = last.then(() => compute(pipeline, durations))
    last = answer.catch(() => undefined)
    return answer
  }
}
