import type { Entry } from '@/core/engine/event'
import type { EngineInput } from '@/core/engine/input'
import type { ExecutionState } from '@/core/engine/state'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import {
  CHILDREN,
  isConfigured,
  runsPool,
  SLOTS,
  sumOf,
  type Demand,
  type Shortage,
} from '@/core/pipeline/definition/demand'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { Pools } from './pools'
import { weightsOf, type NodeHistory, type Weight } from './weight'

/** A node that would start an attempt, or its next item. */
export type WaitingNode = {
  readonly kind: 'node'
  readonly executionId: string
  readonly nodeId: string
  readonly pipelineId: string
  readonly demands: readonly Demand[]
  /** Priority of the run plus that of the node; more is sooner. */
  readonly priority: number
  /** Milliseconds since the epoch. */
  readonly queuedAt: number
  /** How much of its run waits for it. */
  readonly path: number
  readonly risk: number
}

/** A run that would begin. */
export type WaitingRun = { readonly kind: 'run'; readonly executionId: string; readonly pipelineId: string }

/** What a run is to the runs of its pipeline: children and runs with an outcome do not count. */
export type Standing = 'none' | 'waits' | 'holds'

/** A function of the state alone: a run that is taken up again, by a restart or a rerun, counts again by itself. */
export function standingOf(state: ExecutionState): Standing {
  if (state.parent !== null || state.seq === 0 || state.finishedAt !== null) return 'none'
  return state.lifecycle === 'PENDING' ? 'waits' : 'holds'
}

/** How long weights are taken as they were. */
const WEIGHTS_MS = 60_000

/** Events of a node after which it does not wait any more. */
const LEAVES: ReadonlySet<string> = new Set([
  'started',
  'skipped',
  'cancelled',
  'reset',
  'completed',
  'failed',
])

type RunsLimit = CompiledPipeline['runsLimit']

/**
 * Admission across runs: ready nodes and runs that would begin wait for pools. Pure: the orchestrator and the rehearsal say how
 * executions stand after each step, and ask who is next.
 */
export class Admission {
  readonly #pools: Pools<WaitingNode | WaitingRun>
  #capacities: ReadonlyMap<string, number> = new Map()
  /** Pools of which an execution was said to hold something. */
  readonly #held = new Map<string, ReadonlySet<string>>()
  readonly #limits = new Map<string, NonNullable<RunsLimit>>()
  readonly #weights = new WeakMap<CompiledPipeline, { at: number; weights: ReadonlyMap<string, Weight> }>()
  #guests = 0

  /**
   * @param capacities of pools by name
   * @param others capacity of pools that are not named; 0 where a pool that nobody made is a mistake
   * @param historyOf what is known of the nodes of a pipeline from earlier runs
   */
  constructor(
    capacities: ReadonlyMap<string, number>,
    others = Infinity,
    readonly historyOf: (
      pipelineId: string,
    ) => ((nodeId: string) => NodeHistory | undefined) | undefined = () => undefined,
  ) {
    this.#pools = new Pools((name) => (isConfigured(name) ? others : Infinity))
    this.setCapacities(capacities)
  }

  /** The pools are these from now on, while runs go on: what is held stays held, and what does not fit any more waits. */
  setCapacities(capacities: ReadonlyMap<string, number>): void {
    const before = this.#capacities
    this.#capacities = new Map(capacities)
    for (const name of before.keys())
      if (!capacities.has(name)) this.#pools.setCapacity(name, this.#pools.capacityOf(name))
    for (const [name, capacity] of capacities) this.#pools.setCapacity(name, capacity)
  }

  /** How the pools stand that people know: those with a capacity, and those that are gone and still asked for. */
  pools() {
    const names = new Set([...this.#capacities.keys(), ...this.#pools.names().filter(isConfigured)])
    return [...names].sort().map((name) => ({ ...this.poolOf(name), exists: this.#capacities.has(name) }))
  }

  /** How many attempts may work at the same time, over all executions. */
  get slots(): number {
    return this.#capacities.get(SLOTS) ?? Infinity
  }

  /** What a step of an execution may ask. */
  contextOf(state: ExecutionState, input: EngineInput) {
    const { executionId } = state
    const admitted = input.type === 'admit'
    return {
      shortage: (demands: readonly Demand[], held: ReadonlyMap<string, number>): Shortage | null => {
        const heldOf = (pool: string) => held.get(pool) ?? 0
        // Who was admitted takes what it waited for, past those who wait, and no more.
        const chosen =
          admitted && demands.every(({ pool }) => heldOf(pool) <= this.#pools.heldBy(executionId, pool))
        return this.#pools.shortage(executionId, demands, { held: heldOf, chosen })
      },
      admitRun: () => this.#askRun(state.pipeline.definition.id, executionId),
      arrange: (now: number) => this.#arrange(state, now),
    }
  }

  /**
   * Where more nodes of a run may be ready than there is room for, those are looked at first for which most of the run waits: what is
   * free is taken in the order in which it would be waited for.
   */
  #arrange(state: ExecutionState, now: number): void {
    const { dirty, pipeline, executionId } = state
    if (dirty.size < 2) return
    const demanding = [...dirty].filter((id) => (pipeline.nodes.get(id)?.demands.length ?? 0) > 0)
    if (demanding.length < 2 || this.#fitTogether(executionId, demanding, pipeline)) return
    const weights = this.#weightsOf(pipeline, now)
    const rank = (id: string) => [pipeline.nodes.get(id)!.priority, weights.get(id)?.weight ?? 0] as const
    const sorted = demanding
      .map((id) => ({ id, rank: rank(id) }))
      .sort((a, b) => b.rank[0] - a.rank[0] || b.rank[1] - a.rank[1])
    for (const { id } of sorted) {
      dirty.delete(id)
      dirty.add(id)
    }
  }

  #fitTogether(executionId: string, nodes: readonly string[], pipeline: CompiledPipeline): boolean {
    // How many items a list has is known when it starts.
    if (nodes.some((id) => pipeline.nodes.get(id)!.forEach !== null)) return false
    const sums = new Map<string, number>()
    for (const id of nodes)
      for (const { pool, amount } of pipeline.nodes.get(id)!.demands)
        sums.set(pool, sumOf(sums.get(pool) ?? 0, amount))
    const demands = [...sums].map(([pool, amount]) => ({ pool, amount }))
    return this.#pools.shortage(executionId, demands, { chosen: true }) === null
  }

  /** How much of a run waits for a node, and why. */
  weightOf(state: ExecutionState, nodeId: string, now: number): Weight | undefined {
    return this.#weightsOf(state.pipeline, now).get(nodeId)
  }

  /** Made again after a while: runs that have ended since then say more of durations and failures. */
  #weightsOf(pipeline: CompiledPipeline, now: number): ReadonlyMap<string, Weight> {
    const known = this.#weights.get(pipeline)
    if (known !== undefined && Math.abs(now - known.at) < WEIGHTS_MS) return known.weights
    const historyOf = this.historyOf(pipeline.definition.id) ?? (() => undefined)
    const capacityOf = (pool: string) => this.#capacities.get(pool) ?? null
    const weights = weightsOf(pipeline, { historyOf, capacityOf })
    this.#weights.set(pipeline, { at: now, weights })
    return weights
  }

  /**
   * Says how an execution stands after a step: what it holds, which of its nodes wait no more and which do. Empties `state.awaitingSlot`.
   * Without entries it is counted as it stands. `now` in milliseconds since the epoch.
   */
  update(state: ExecutionState, entries: readonly Entry[], now: number): void {
    const { executionId } = state
    this.#hold(executionId, state.held)
    for (const { event } of entries) {
      const { level, node, word } = eventTypeOf(event.type)
      if ((level === 'node' || level === 'rollback') && event.item === undefined && LEAVES.has(word))
        this.#pools.withdraw(nodeKey(executionId, node))
    }
    // After those that left: a node that has started may wait for its next item.
    for (const nodeId of state.awaitingSlot) this.#wait(state, nodeId, now)
    state.awaitingSlot.clear()
    this.#updateRun(state)
  }

  /** The execution left memory: it holds nothing and none of its nodes waits. With `run` it is no run of its pipeline either. */
  leave(state: ExecutionState, run: boolean): void {
    const { executionId } = state
    this.#hold(executionId, new Map())
    for (const nodeId of state.nodes.keys()) this.#pools.withdraw(nodeKey(executionId, nodeId))
    if (run) this.leaveRun(state.pipeline.definition.id, executionId)
  }

  /** The execution is no run of the pipeline any more, and does not wait to be one. */
  leaveRun(pipelineId: string, executionId: string): void {
    this.#pools.withdraw(executionId)
    this.#pools.hold(executionId, runsPool(pipelineId), 0)
  }

  /** How many runs of the pipeline may run from now on; null: any number, and all who wait may go. */
  limitRuns(pipelineId: string, limit: RunsLimit): void {
    if (limit === null) this.#limits.delete(pipelineId)
    else this.#limits.set(pipelineId, limit)
    this.#pools.setCapacity(runsPool(pipelineId), limit?.limit ?? null)
  }

  /** Who may go now (milliseconds), taken out of the queue; null: nobody. A run counts as running from then on, also before its step is made. */
  next(now: number): WaitingNode | WaitingRun | null {
    const subject = this.#pools.next(now)?.subject ?? null
    if (subject?.kind === 'run') this.#pools.hold(subject.executionId, runsPool(subject.pipelineId), 1)
    return subject
  }

  /** Attempts that hold a slot. */
  get inUse(): number {
    return this.#pools.stateOf(SLOTS)?.used ?? 0
  }

  /** Says that work which no state counts holds this, until the answer is called: a trial, or a process that is about to end. */
  occupy(demands: readonly Demand[], what: string): () => void {
    const owner = `#${(this.#guests += 1)} ${what}`
    for (const { pool, amount } of demands) this.#pools.hold(owner, pool, amount)
    return () => {
      for (const { pool } of demands) this.#pools.hold(owner, pool, 0)
    }
  }

  /**
   * Says that work which was ended holds its process until that is dead; the slot is free, since nothing works any more. What the
   * same step started in its place waits to begin.
   */
  occupyUntilDead(demands: readonly Demand[], what: string): () => void {
    return this.occupy(
      demands.filter(({ pool }) => pool === CHILDREN),
      `${what}, which is being ended`,
    )
  }

  /** How a pool stands, and who holds some of it: executions, and what else occupies it in words. */
  poolOf(name: string) {
    const known = this.#pools.stateOf(name)
    const capacity = known === null ? (this.#capacities.get(name) ?? null) : known.capacity
    const { used = 0, waiting = 0, holders } = known ?? {}
    const owners = [...(holders ?? [])]
    const isGuest = ([owner]: readonly [string, number]) => owner.startsWith('#')
    return {
      name,
      capacity,
      used,
      waiting,
      executions: owners.filter((one) => !isGuest(one)).map(([owner]) => owner),
      others: owners
        .filter(isGuest)
        .map(([owner, amount]) => ({ what: owner.slice(owner.indexOf(' ') + 1), amount })),
    }
  }

  /** Nodes that wait, soonest first. For people: it sorts. */
  queue(): WaitingNode[] {
    return this.#pools.queue().flatMap(({ subject }) => (subject.kind === 'node' ? [subject] : []))
  }

  /** The first of those with the pool that each lacks, and how many there are. For people: it sorts. */
  waiting(limit: number) {
    const all = this.queue()
    const items = all.slice(0, limit).flatMap((node) => {
      const { executionId, demands } = node
      const lacks =
        this.#pools.shortage(executionId, demands, { chosen: true }) ??
        this.#pools.shortage(executionId, demands)
      // Whoever lacks nothing is about to go.
      return lacks === null ? [] : [{ ...node, lacks }]
    })
    return { total: all.length, items }
  }

  /** The runs of a pipeline and those that wait to begin, soonest first. For people: it sorts. */
  runsOf(pipelineId: string) {
    const limit = this.#limits.get(pipelineId)
    const waiting = this.#pools.queue().flatMap(({ subject }) => {
      const waits = subject.kind === 'run' && subject.pipelineId === pipelineId
      return waits ? [subject.executionId] : []
    })
    return {
      limit: limit?.limit ?? null,
      whenFull: limit?.whenFull ?? ('queue' as const),
      holders: [...(this.#pools.stateOf(runsPool(pipelineId))?.holders.keys() ?? [])],
      waiting,
    }
  }

  #hold(executionId: string, held: ReadonlyMap<string, number>): void {
    for (const pool of this.#held.get(executionId) ?? [])
      if (!held.has(pool)) this.#pools.hold(executionId, pool, 0)
    for (const [pool, amount] of held) this.#pools.hold(executionId, pool, amount)
    if (held.size > 0) this.#held.set(executionId, new Set(held.keys()))
    else this.#held.delete(executionId)
  }

  #wait(state: ExecutionState, nodeId: string, now: number): void {
    const { executionId } = state
    const compiled = state.pipeline.nodes.get(nodeId)!
    const node = state.nodes.get(nodeId)!
    const step = state.lifecycle === 'ROLLBACK' ? state.rollback?.steps.get(nodeId) : undefined
    const work = step === undefined ? compiled : compiled.compensation!
    const key = nodeKey(executionId, nodeId)
    if (this.#pools.isWaiting(key)) return
    const since = step?.since ?? (node.status === 'queued' ? node.since : now)
    const { path = 0, risk = 0, weight = 0 } = this.#weightsOf(state.pipeline, now).get(nodeId) ?? {}
    const subject: WaitingNode = {
      kind: 'node',
      executionId,
      nodeId,
      pipelineId: state.pipeline.definition.id,
      demands: work.demands,
      priority: state.priority + compiled.priority,
      queuedAt: since,
      path,
      risk,
    }
    const { priority } = subject
    this.#pools.wait({ key, owner: executionId, demands: work.demands, priority, since, weight, subject })
  }

  #updateRun(state: ExecutionState): void {
    const { executionId } = state
    const pipelineId = state.pipeline.definition.id
    const pool = runsPool(pipelineId)
    const standing = standingOf(state)
    if (standing === 'none') return this.leaveRun(pipelineId, executionId)
    // One that was admitted keeps its turn until its state changes.
    if (this.#pools.heldBy(executionId, pool) > 0) return
    if (standing === 'holds') {
      this.#pools.withdraw(executionId)
      this.#pools.hold(executionId, pool, 1)
    } else if (!this.#pools.isWaiting(executionId)) {
      const subject: WaitingRun = { kind: 'run', executionId, pipelineId }
      const { priority, createdAt: since } = state
      const demands = [{ pool, amount: 1 }]
      this.#pools.wait({ key: executionId, owner: executionId, demands, priority, since, weight: 0, subject })
    }
  }

  #askRun(pipelineId: string, executionId: string): 'free' | 'wait' | 'refuse' {
    const pool = runsPool(pipelineId)
    const limit = this.#limits.get(pipelineId)
    if (limit === undefined || this.#pools.heldBy(executionId, pool) > 0) return 'free'
    if (this.#pools.shortage(executionId, [{ pool, amount: 1 }]) === null) return 'free'
    return limit.whenFull === 'queue' ? 'wait' : 'refuse'
  }
}

const nodeKey = (executionId: string, nodeId: string) => `${executionId}/${nodeId}`
