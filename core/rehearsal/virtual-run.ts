import type { Entry, JsonObject } from '@/core/engine/event'
import type { AttemptKey, EngineInput } from '@/core/engine/input'
import { compiledOf } from '@/core/engine/decide/attempt-outcome'
import { resolveInput } from '@/core/engine/decide/start-attempt'
import type { Principal } from '@/core/engine/principal'
import { attemptId, emptyState, type AttemptState, type ExecutionState } from '@/core/engine/state'
import { typedEvent } from '@/core/engine/typed-event'
import { step } from '@/core/engine/step'
import type { Timer } from '@/core/engine/timers'
import { effectAt } from '@/core/engine/wanted'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { defaultEstimateMs } from '@/core/pipeline/definition/critical-path'
import { Admission } from '@/core/scheduling/admission'
import { Agenda, type Planned } from './agenda'
import { createInMemoryValues } from './in-memory-values'
import { capacitiesOf, type DecisionPlan, type Plan } from './plan'
import { PlannedWork, rehearsedPipeline, type DurationSource, type Result, type Work } from './work'

/** Something that the plan wanted and the engine refused, in the engine's words. */
export type Refused = {
  /** Milliseconds from the start of the rehearsal. */
  readonly after: number
  readonly what: string
  /** Where in the plan it stands, such as `approvals.ok.0`; empty: in no one place of it. */
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly message: string
}

type Refusable = Pick<Refused, 'what' | 'path'>

type Occurrence =
  | { readonly of: 'attempt'; readonly key: AttemptKey; readonly input: EngineInput }
  | { readonly of: 'outside'; readonly planned: Refusable; readonly input: EngineInput }

/** An attempt that runs, as the orchestrator would see it. */
type Worker = {
  readonly token: number
  readonly end: Planned<Occurrence> | null
  readonly work: Work
  readonly stopping: boolean
}

/**
 * One run of the real engine on a virtual clock: time goes from one occurrence to the next, attempts end as planned, people
 * and events come when they are planned. It does what the orchestrator does (admission, starting and stopping what is wanted, timers),
 * with the same functions; only who works is made up.
 */
export class VirtualRun {
  readonly state: ExecutionState
  readonly entries: Entry[] = []
  readonly refused: Refused[] = []
  /** Names of invented outputs by node. */
  readonly invented = new Map<string, Set<string>>()
  readonly sources = new Map<string, DurationSource>()
  now: number
  /** How many things have happened. */
  happened = 0
  stopped = false
  readonly #plan: Plan
  readonly #work: PlannedWork
  readonly #agenda = new Agenda<Occurrence>()
  readonly #admission: Admission
  readonly #workers = new Map<string, Worker>()
  /** Nodes that were, or are about to be, completed by hand. */
  readonly #helped = new Set<string>()
  #children = 0

  constructor(pipeline: CompiledPipeline, plan: Plan) {
    this.#plan = plan
    this.now = plan.startAt
    this.state = emptyState(plan.executionId, rehearsedPipeline(pipeline, plan), createInMemoryValues())
    this.#work = new PlannedWork(pipeline, plan)
    this.#admission = new Admission(capacitiesOf(plan), Infinity, () => (id) => {
      // What its work will take is known here; elsewhere the history says it.
      const planned = plan.nodes[id]?.duration
      const declared = pipeline.nodes.get(id)?.estimateMs ?? null
      const p50 = planned ?? declared ?? plan.history[id] ?? null
      return p50 === null ? undefined : { p50, failureRate: 0 }
    })
  }

  /** Plays the plan until nothing happens any more, or too much has. */
  play(): void {
    this.#planOutside()
    const { inputs, actor, priority, scheduledAt } = this.#plan
    this.#take(
      { what: 'the start', path: [] },
      {
        type: 'start',
        inputs: inputs as JsonObject,
        actor: person(actor.name, actor.roles),
        priority: priority ?? this.state.pipeline.priority,
        labels: {},
        mocks: {},
        ...(scheduledAt === undefined ? {} : { scheduledAt }),
        parent: null,
        origin: null,
      },
    )
    while (this.#happenNext());
  }

  /** The next thing happens; false when there is none, or no more may. */
  #happenNext(): boolean {
    const timer = this.state.timers.next()
    const next = this.#agenda.next
    if (next === undefined && timer === undefined) return false
    if (this.happened >= this.#plan.mostEvents) {
      this.stopped = true
      return false
    }
    this.happened += 1
    if (next !== undefined && (timer === undefined || next.at < timer.dueAt || isInTime(next, timer))) {
      this.#agenda.shift()
      this.#happen(next)
    } else {
      this.now = Math.max(this.now, timer!.dueAt)
      this.#take({ what: 'a timer', path: [] }, { type: 'tick' })
    }
    return true
  }

  #happen({ at, what }: Planned<Occurrence>): void {
    this.now = Math.max(this.now, at)
    if (what.of === 'outside') return this.#take(what.planned, what.input)
    const { node, item, token } = what.key
    const id = attemptId(node, item)
    if (this.#workers.get(id)?.token === token) this.#workers.delete(id)
    if (this.state.inFlight.get(id)?.token === token)
      this.#take({ what: `the end of '${node}'`, path: ['nodes', node] }, what.input)
  }

  /** One input with all that follows from it at once, as one commit of the orchestrator. */
  #take(planned: Refusable, input: EngineInput): void {
    const refusal = this.#advance(input)
    if (refusal !== null) this.refused.push({ after: this.now - this.#plan.startAt, ...planned, ...refusal })
    for (let next = this.#admission.next(this.now); next !== null; next = this.#admission.next(this.now))
      this.#advance(next.kind === 'run' ? { type: 'schedule' } : { type: 'admit', node: next.nodeId })
    this.#reconcile()
  }

  #advance(input: EngineInput): { code: string; message: string } | null {
    const { state, now } = this
    const result = step(state, input, {
      now,
      ...this.#admission.contextOf(state, input),
      // The plan says what becomes of every attempt, and how long it takes.
      computing: { left: 0 },
      newId: () => `${state.executionId}.child${(this.#children += 1)}`,
    })
    const entries = result.ok ? result.entries : []
    this.#admission.update(state, entries, now)
    for (const entry of entries) {
      this.entries.push(entry)
      const typed = typedEvent(entry.event)
      if (typed.level !== 'node') continue
      if (typed.word === 'waiting' && typed.payload.for === 'people')
        this.#ask(typed.node, typed.payload.approvers)
      if (typed.word === 'failed' || typed.word === 'retrying') this.#helpOut(typed.node, typed.word)
    }
    return result.ok ? null : { code: result.rejection.code, message: result.rejection.message }
  }

  /** Starts and stops the difference between what the state wants in flight and what is. */
  #reconcile(): void {
    const { state } = this
    const begun: AttemptState[] = []
    for (const id of state.touched) {
      const attempt = state.inFlight.get(id)
      const worker = this.#workers.get(id)
      if (worker !== undefined && attempt?.token !== worker.token) this.#leave(id, worker)
      else if (worker !== undefined && attempt?.stopping) this.#stop(id, attempt, worker)
      if (attempt === undefined || attempt.token === worker?.token) continue
      const effect = effectAt(state, id)
      if (effect !== null && effect.desired !== 'stopped') {
        this.#start(id, attempt)
        if (attempt.beginBy !== null) begun.push(attempt)
      } else if (effect !== null) {
        const reason = 'nobody was at it when it was cancelled'
        this.#end(attempt, this.now, { kind: 'lost', reason }, undefined)
      }
    }
    state.touched.clear()
    // Made-up work needs no process: it begins as soon as it may.
    for (const attempt of begun) this.#advance({ type: 'begin_attempt', key: keyOf(attempt) })
  }

  /** The engine does not wait for it any more. */
  #leave(id: string, worker: Worker): void {
    if (worker.end !== null) this.#agenda.drop(worker.end)
    this.#workers.delete(id)
  }

  /** A worker that is asked to stop does, unless it ends by itself before. */
  #stop(id: string, attempt: AttemptState, worker: Worker): void {
    const { end, work } = worker
    const at = this.now + work.stopsAfter
    if (worker.stopping || (end !== null && end.at < at)) return
    if (end !== null) this.#agenda.drop(end)
    const error = { kind: 'cancelled', message: 'cancelled' }
    const stop = this.#end(attempt, at, { kind: 'failed', error }, work.rank)
    this.#workers.set(id, { ...worker, end: stop, stopping: true })
  }

  #start(id: string, attempt: AttemptState): void {
    const { state } = this
    const compiled = compiledOf(state, attempt)
    const resolved = resolveInput(state, compiled, { upTo: attempt.startedSeq, item: attempt.item })
    if (!resolved.ok) {
      this.#end(attempt, this.now, { kind: 'failed', error: resolved.error }, undefined)
      return
    }
    const work = attempt.compensates === true ? UNDOING : this.#work.of(attempt, resolved.input)
    const { duration, result } = work
    if (attempt.compensates !== true) this.sources.set(attempt.node, work.source)
    if (result.kind === 'completed') this.#noteInvented(attempt.node, work.invented)
    const end = duration === null ? null : this.#end(attempt, this.now + duration, result, work.rank)
    this.#workers.set(id, { token: attempt.token, end, work, stopping: false })
  }

  #end(attempt: AttemptState, at: number, result: Result, rank: number | undefined): Planned<Occurrence> {
    const key = keyOf(attempt)
    return this.#agenda.plan(at, { of: 'attempt', key, input: inputOf(key, result) }, rank)
  }

  #noteInvented(node: string, names: readonly string[]): void {
    if (names.length === 0) return
    const known = this.invented.get(node) ?? new Set()
    for (const name of names) known.add(name)
    this.invented.set(node, known)
  }

  /** A node is stuck: who does its work elsewhere says so in their own time, once. */
  #helpOut(node: string, word: 'failed' | 'retrying'): void {
    const byHand = this.#plan.nodes[node]?.byHand
    if (byHand?.from !== word || this.#helped.has(node)) return
    this.#helped.add(node)
    const { outputs, reason, by, after, rank } = byHand
    const actor = person(by ?? this.#plan.actor.name, [])
    const input: EngineInput = {
      type: 'complete_by_hand',
      node,
      outputs: outputs as JsonObject,
      reason,
      actor,
      subPipelines: new Map(),
    }
    const planned = { what: `'${node}' by hand`, path: ['nodes', node, 'byHand'] }
    this.#agenda.plan(this.now + after, { of: 'outside', planned, input }, rank)
  }

  /** An approval opens: who decides it does so in their own time. */
  #ask(id: string, approvers: readonly string[]): void {
    for (const [at, decision] of (this.#plan.approvals[id] ?? []).entries()) {
      const { decision: word, comment, form } = decision
      const input: EngineInput = {
        type: 'publish_event',
        eventType: `external.${id}.${word}`,
        payload: {
          ...(comment === undefined ? {} : { comment }),
          ...(form === undefined ? {} : { form: form as JsonObject }),
        },
        actor: approverOf(decision, approvers),
      }
      const planned = { what: `${word} of '${id}' by ${input.actor.name}`, path: ['approvals', id, at] }
      this.#agenda.plan(this.now + decision.after, { of: 'outside', planned, input }, decision.rank)
    }
  }

  #planOutside(): void {
    const { startAt, events, cancel, actor } = this.#plan
    const asker = person(actor.name, actor.roles)
    const by = (name: string | undefined) => (name === undefined ? asker : person(name, []))
    for (const [at, { type, after, payload, by: who, rank }] of events.entries()) {
      const input: EngineInput = {
        type: 'publish_event',
        eventType: type,
        payload: payload as JsonObject,
        actor: by(who),
      }
      const planned = { what: type, path: ['events', at] }
      this.#agenda.plan(startAt + after, { of: 'outside', planned, input }, rank)
    }
    if (cancel === undefined) return
    const input: EngineInput = { type: 'cancel', reason: cancel.reason ?? null, actor: by(cancel.by) }
    const planned = { what: 'the cancel', path: ['cancel'] }
    this.#agenda.plan(startAt + cancel.after, { of: 'outside', planned, input }, cancel.rank)
  }
}

/** Of what undoes a node nothing is planned: it succeeds. */
const UNDOING: Work = {
  duration: defaultEstimateMs,
  source: 'default',
  stopsAfter: 0,
  rank: undefined,
  result: { kind: 'completed', outputs: {} },
  invented: [],
}

/** What ends at the instant of its deadline has ended in time; what goes on at that instant has begun before. */
const isInTime = (next: Planned<Occurrence>, { kind, dueAt }: Timer): boolean =>
  next.at === dueAt && kind !== 'retry' && kind !== 'wait'

function keyOf({ node, generation, item, attempt, token }: AttemptState): AttemptKey {
  return { node, generation, item, attempt, token }
}

function inputOf(key: AttemptKey, result: Result): EngineInput {
  switch (result.kind) {
    case 'completed':
      return { type: 'complete_attempt', key, outputs: result.outputs }
    case 'failed':
      return { type: 'fail_attempt', key, error: result.error }
    case 'lost':
      return { type: 'lose_attempt', key, reason: result.reason }
  }
}

/** A plan knows people by their names; in a rehearsal the name makes the id. */
function person(name: string, roles: readonly string[]): Principal {
  return { id: `usr_${name}`, kind: 'user', name, roles, via: 'session' }
}

/** Who decides: whom the plan names, with the roles that the approval asks for unless the plan says which they hold. */
function approverOf({ by, roles }: DecisionPlan, approvers: readonly string[]): Principal {
  const asked = approvers.filter((entry) => entry.startsWith('role:')).map((entry) => entry.slice(5))
  const listed = approvers.find((entry) => entry.startsWith('user:'))?.slice(5)
  return person(by ?? (asked.length === 0 ? listed : undefined) ?? 'somebody', roles ?? asked)
}
