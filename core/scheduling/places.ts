import TinyQueue from 'tinyqueue'
import type { ExecutionState } from '@/core/engine/state'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { rankOf } from './admission'

/** What a run is to the places of its pipeline: children and runs with an outcome are nothing to them. */
export type Standing = 'none' | 'waits' | 'holds'

/** A function of the state alone: a run that is taken up again, by a restart or a rerun, counts again by itself. */
export function standingOf(state: ExecutionState): Standing {
  if (state.parent !== null || state.seq === 0 || state.finishedAt !== null) return 'none'
  return state.lifecycle === 'PENDING' ? 'waits' : 'holds'
}

type Waiting = { readonly executionId: string; readonly rank: number; readonly order: number }

type PipelinePlaces = {
  limit: CompiledPipeline['places']
  readonly holders: Set<string>
  readonly waiting: Map<string, Waiting>
  readonly heap: TinyQueue<Waiting>
}

const order = (a: Waiting, b: Waiting) => a.rank - b.rank || a.order - b.order

/**
 * The places of pipelines (`policy.maxRunning`): who holds one and who waits. Pure: the orchestrator tells it how runs
 * stand and which limit a pipeline has now. A place is free at the terminal event of its run. Who waits longest comes first, a step
 * of priority being worth a minute, as in admission.
 */
export class Places {
  readonly #pipelines = new Map<string, PipelinePlaces>()
  /** Pipelines for which somebody waits. */
  readonly #queues = new Set<string>()
  #order = 0

  /** The limit of a pipeline from now on; null: there is none, and all who wait may go. */
  setLimit(pipelineId: string, limit: CompiledPipeline['places']): void {
    if (limit === null && !this.#pipelines.has(pipelineId)) return
    this.#of(pipelineId).limit = limit
  }

  /** What a new run of the pipeline would find, or one that was chosen by `next`. */
  ask(pipelineId: string, executionId: string): 'free' | 'wait' | 'refuse' {
    const places = this.#pipelines.get(pipelineId)
    if (places === undefined || places.limit === null || places.holders.has(executionId)) return 'free'
    if (places.waiting.size === 0 && places.holders.size < places.limit.limit) return 'free'
    return places.limit.whenFull === 'queue' ? 'wait' : 'refuse'
  }

  /** Tells how a run stands after a step. One that was chosen keeps its place until it stands otherwise. */
  settle(state: ExecutionState): void {
    const { executionId } = state
    const pipelineId = state.pipeline.definition.id
    const standing = standingOf(state)
    if (standing === 'none') return this.leave(pipelineId, executionId)
    const places = this.#of(pipelineId)
    if (places.holders.has(executionId)) return
    if (standing === 'holds') {
      this.#stopWaiting(pipelineId, places, executionId)
      places.holders.add(executionId)
    } else if (!places.waiting.has(executionId)) {
      const rank = rankOf({ priority: state.priority, queuedAt: state.createdAt })
      const waiting = { executionId, rank, order: this.#order++ }
      places.waiting.set(executionId, waiting)
      places.heap.push(waiting)
      this.#queues.add(pipelineId)
    }
  }

  /** The run is nothing to the places any more. */
  leave(pipelineId: string, executionId: string): void {
    const places = this.#pipelines.get(pipelineId)
    if (places === undefined) return
    places.holders.delete(executionId)
    this.#stopWaiting(pipelineId, places, executionId)
    if (places.holders.size === 0 && places.waiting.size === 0 && places.limit === null)
      this.#pipelines.delete(pipelineId)
  }

  /** Gives a free place to who comes first and answers with it; null when nobody waits for one that is free. */
  next(): { readonly pipelineId: string; readonly executionId: string } | null {
    for (const pipelineId of this.#queues) {
      const places = this.#of(pipelineId)
      if (places.limit !== null && places.holders.size >= places.limit.limit) continue
      for (let first = places.heap.pop(); first !== undefined; first = places.heap.pop()) {
        const { executionId } = first
        if (places.waiting.get(executionId) !== first) continue
        this.#stopWaiting(pipelineId, places, executionId)
        places.holders.add(executionId)
        return { pipelineId, executionId }
      }
    }
    return null
  }

  /** Who holds the places of a pipeline and who waits, soonest first. For people: it sorts. */
  of(pipelineId: string): {
    readonly limit: number | null
    readonly whenFull: 'queue' | 'skip' | 'refuse'
    readonly holders: readonly string[]
    readonly waiting: readonly string[]
  } {
    const places = this.#pipelines.get(pipelineId)
    return {
      limit: places?.limit?.limit ?? null,
      whenFull: places?.limit?.whenFull ?? 'queue',
      holders: [...(places?.holders ?? [])],
      waiting: [...(places?.waiting.values() ?? [])].sort(order).map(({ executionId }) => executionId),
    }
  }

  #of(pipelineId: string): PipelinePlaces {
    let places = this.#pipelines.get(pipelineId)
    if (places === undefined) {
      places = {
        limit: null,
        holders: new Set(),
        waiting: new Map(),
        heap: new TinyQueue<Waiting>([], order),
      }
      this.#pipelines.set(pipelineId, places)
    }
    return places
  }

  #stopWaiting(pipelineId: string, places: PipelinePlaces, executionId: string): void {
    if (places.waiting.delete(executionId) && places.waiting.size === 0) this.#queues.delete(pipelineId)
  }
}
