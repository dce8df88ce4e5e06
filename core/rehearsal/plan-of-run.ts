import type { Entry, Event } from '@/core/engine/event'
import { elapsedMs, parseInstant } from '@/core/engine/instant'
import { itemVariable } from '@/core/engine/decide/item-variable'
import { NO_LARGE_VALUES, valueOf, type LargeValues } from '@/core/engine/large-values'
import { isDecision } from '@/core/engine/state'
import { typedEvent, type ExternalEvent, type PayloadOf, type TaskEvent } from '@/core/engine/typed-event'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { RehearsalPlan } from './plan'

type NodePlans = NonNullable<RehearsalPlan['nodes']>
type Attempts = NonNullable<NodePlans[string]['attempts']>
type Values = NonNullable<Attempts[number]['outputs']>
type Decisions = NonNullable<RehearsalPlan['approvals']>[string]

export type PlanOfRun =
  | { readonly ok: true; readonly plan: RehearsalPlan }
  /** Something happened to the run that no plan can say. */
  | { readonly ok: false; readonly message: string }

const UNPLANNABLE: ReadonlyMap<string, string> = new Map([
  ['pipeline.paused', 'it was paused'],
  ['pipeline.restarted', 'it was rerun'],
  ['pipeline.rolling_back', 'it was rolled back'],
])

/**
 * The plan of a run that is over, from its journal: who did what when, how long things took and what they gave. Rehearsed, it
 * gives the events of the run in their order, as far as slots were free or the plan says how many there were. A large value that
 * the journal only refers to is asked of `values`; what is not there is invented where it is read.
 */
export function planOfRun(
  pipeline: CompiledPipeline,
  entries: readonly Entry[],
  values: LargeValues = NO_LARGE_VALUES,
): PlanOfRun {
  const [created] = entries
  if (created === undefined) return { ok: false, message: 'nothing has happened in it' }
  const { mocks, origin } = createdPayload(created)
  if (mocks !== undefined) return { ok: false, message: 'some of its nodes were mocked' }
  if (origin !== undefined) return { ok: false, message: 'it went on from another run' }
  for (const { event } of entries) {
    const reason = UNPLANNABLE.get(event.type)
    if (reason !== undefined) return { ok: false, message: reason }
  }
  // While it waited to be admitted nothing of it was timed.
  const started = entries.find(({ event }) => event.type === 'pipeline.started') ?? created
  return { ok: true, plan: new ReadRun(pipeline, instantOf(started.event), values).plan(entries) }
}

/** What the first entry of a journal says of the run. */
function createdPayload({ event }: Entry): PayloadOf<'pipeline', 'created'> {
  const typed = typedEvent(event)
  if (typed.level === 'pipeline' && typed.word === 'created') return typed.payload
  throw new Error(`invariant: ${event.id} (${event.type}) begins no journal`)
}

/** `whole`: every value is known. */
type Left = { readonly outputs: Values; readonly whole: boolean }
const NOTHING: Left = { outputs: {}, whole: true }

const instantOf = (event: Event) => parseInstant(event.timestamp)

class ReadRun {
  readonly #nodes: Record<string, { attempts: Attempts }> = {}
  readonly #approvals: Record<string, Decisions> = {}
  readonly #events: NonNullable<RehearsalPlan['events']> = []
  #cancel: RehearsalPlan['cancel']
  #cancelledAt: number | null = null
  /** When the attempt in flight began, by node and item, and when it was to be over. */
  readonly #begun = new Map<string, { readonly at: number; readonly timeoutAt: string | undefined }>()
  readonly #opened = new Map<string, number>()

  constructor(
    readonly pipeline: CompiledPipeline,
    readonly startAt: number,
    readonly values: LargeValues,
  ) {}

  plan(entries: readonly Entry[]): RehearsalPlan {
    for (const entry of entries) this.#read(entry)
    const { event: created, variables } = entries[0]!
    const { outputs: inputs } = this.#left(variables, 'pipeline.input.')
    const scheduledAt = variables.find(({ name }) => name === 'system.scheduled_at')?.value
    return {
      startAt: this.startAt,
      executionId: created.execution_id,
      ...(typeof scheduledAt === 'string' ? { scheduledAt } : {}),
      inputs,
      actor: { name: created.actor ?? 'somebody' },
      priority: createdPayload(entries[0]!).priority,
      nodes: this.#withOutputs(entries),
      approvals: this.#approvals,
      events: this.#events,
      ...(this.#cancel === undefined ? {} : { cancel: this.#cancel }),
    }
  }

  #read({ event }: Entry): void {
    const typed = typedEvent(event)
    switch (typed.level) {
      case 'external':
        return this.#readOutside(typed)
      case 'pipeline':
        if (typed.word === 'cancelling') this.#readCancel(event, typed.payload)
        return
      case 'node':
        if (typed.word === 'waiting') this.#opened.set(typed.node, instantOf(event))
        return
      case 'task':
        // What the engine times itself needs no plan.
        if (this.pipeline.nodes.get(typed.node)?.kind !== 'wait') this.#readAttempt(typed)
    }
  }

  #readCancel(event: Event, { reason, timed_out }: PayloadOf<'pipeline', 'cancelling'>): void {
    this.#cancelledAt = instantOf(event)
    if (timed_out === true) return
    this.#cancel = {
      after: this.#afterStart(event),
      rank: event.seq,
      ...(reason === null ? {} : { reason }),
      ...(event.actor === undefined ? {} : { by: event.actor }),
    }
  }

  #afterStart(event: Event): number {
    return elapsedMs(this.startAt, instantOf(event))
  }

  #readAttempt(typed: TaskEvent): void {
    const { node: id, event } = typed
    const key = `${id}/${event.item ?? ''}`
    if (typed.word === 'started')
      return void this.#begun.set(key, { at: instantOf(event), timeoutAt: typed.payload.timeout_at })
    const begun = this.#begun.get(key)
    if (begun === undefined) return
    if (typed.word === 'running') {
      const { timeout_at: timeoutAt = begun.timeoutAt } = typed.payload
      return void this.#begun.set(key, { ...begun, timeoutAt })
    }
    this.#begun.delete(key)
    const error = typed.word === 'failed' ? typed.payload.error : undefined
    // The engine ended it at its deadline: its work would have gone on.
    const timedOut =
      error?.kind === 'timeout' &&
      begun.timeoutAt !== undefined &&
      instantOf(event) >= parseInstant(begun.timeoutAt)
    // Work that began late took its whole time and was in time all the same.
    const most = this.pipeline.nodes.get(id)!.timeoutMs ?? Infinity
    const stoppedAt = error?.kind === 'cancelled' ? this.#cancelledAt : null
    const own = (this.#nodes[id] ??= { attempts: [] })
    own.attempts.push({
      ...(event.item === undefined ? {} : { item: event.item }),
      attempt: event.attempt ?? 1,
      duration: timedOut || stoppedAt !== null ? null : Math.min(instantOf(event) - begun.at, most),
      ...(stoppedAt === null ? {} : { stopsAfter: instantOf(event) - stoppedAt }),
      rank: event.seq,
      ...(error === undefined || timedOut || stoppedAt !== null
        ? {}
        : { error: error as Attempts[number]['error'] & object }),
      ...(typed.word === 'lost' ? { lost: typed.payload.reason } : {}),
    })
    // The same attempt goes on under another token.
    if (typed.word === 'lost' && typed.payload.next_token !== undefined)
      this.#begun.set(key, { at: instantOf(event), timeoutAt: typed.payload.timeout_at })
  }

  #readOutside({ node: id, word, payload, event }: ExternalEvent): void {
    const at = instantOf(event)
    const by = event.actor === undefined ? {} : { by: event.actor }
    const opened = this.#opened.get(id)
    if (opened !== undefined && isDecision(word)) {
      const { comment, form } = payload
      const decisions = (this.#approvals[id] ??= [])
      decisions.push({
        decision: word,
        after: at - opened,
        rank: event.seq,
        ...by,
        ...(typeof comment === 'string' ? { comment } : {}),
        ...(form === null || form === undefined ? {} : { form: form as Record<string, never> }),
      })
      return
    }
    const after = this.#afterStart(event)
    this.#events.push({
      type: event.type,
      after,
      rank: event.seq,
      payload: payload as Record<string, never>,
      ...by,
    })
  }

  /** What completed attempts left behind. What a node computes of its input it computes again. */
  #withOutputs(entries: readonly Entry[]): NodePlans {
    const left = new Map<string, Left>()
    for (const { event, variables } of entries) {
      if (variables.length === 0) continue
      const id = event.source.entity_id
      if (event.item === undefined) left.set(event.type, this.#left(variables, `${id}.`))
      else left.set(`${id}/${event.item}`, this.#left(variables, itemVariable(id, event.item, '')))
    }
    const plans: NodePlans = {}
    for (const [id, { attempts }] of Object.entries(this.#nodes)) {
      const computed = this.pipeline.nodes.get(id)!.contract.compute !== undefined
      let outputs: Values | undefined
      const planned = attempts.map((one) => {
        if (computed) return withoutError(one)
        if (one.error !== undefined || one.lost !== undefined || one.duration === null) return one
        const own = left.get(one.item == null ? `${id}.completed` : `${id}/${one.item}`) ?? NOTHING
        if (own.whole) return { ...one, outputs: own.outputs }
        // The node says what is known; what is read besides is invented.
        if (one.item == null) outputs = own.outputs
        return one
      })
      plans[id] = { attempts: planned, ...(outputs === undefined ? {} : { outputs }) }
    }
    return plans
  }

  #left(variables: Entry['variables'], prefix: string): Left {
    const own = variables
      .filter(({ name }) => name.startsWith(prefix))
      .map((write) => [write.name.slice(prefix.length), valueOf(this.values, write)] as const)
    const known = own.filter(([, value]) => value !== undefined)
    return { outputs: Object.fromEntries(known) as Values, whole: known.length === own.length }
  }
}

/** A failure that its input decides comes of it again. */
function withoutError(one: Attempts[number]): Attempts[number] {
  const { error: _error, ...rest } = one
  return rest
}
