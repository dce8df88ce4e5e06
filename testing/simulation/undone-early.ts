import type { Entry } from '@/core/engine/event'
import { dependentsIn } from '@/core/engine/fold/rollback'
import { typedEvent } from '@/core/engine/typed-event'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'

/**
 * What a log says of its rollbacks and must not: a node that is undone although the plan does not have it, twice, or before one that may
 * have used it; an end that calls everything undone and is not [H-O7].
 */
export function undoneEarly(log: readonly Entry[], pipeline: CompiledPipeline): string[] {
  const found: string[] = []
  let plan: ReadonlySet<string> = new Set()
  let after: ReadonlyMap<string, readonly string[]> = new Map()
  const done = new Set<string>()
  for (const { event } of log) {
    const typed = typedEvent(event)
    const say = (what: string) => found.push(`${event.id}: ${what}`)
    if (typed.level === 'pipeline' && typed.word === 'rolling_back') {
      plan = new Set(typed.payload.order.flat())
      after = dependentsIn(pipeline, plan)
      done.clear()
    }
    if (typed.level === 'pipeline' && typed.word === 'rolled_back')
      for (const id of plan) if (!done.has(id)) say(`'${id}' is not undone`)
    if (typed.level !== 'rollback') continue
    const { node, word } = typed
    if (!plan.has(node)) say(`'${node}' is no part of the plan`)
    if (word === 'started')
      for (const other of after.get(node) ?? []) if (!done.has(other)) say(`'${node}' before '${other}'`)
    if (word !== 'completed' && word !== 'skipped') continue
    if (done.has(node)) say(`'${node}' is undone twice`)
    done.add(node)
  }
  return found
}
