import type { Entry, Event, Json, JsonObject, NodeError } from '@/core/engine/event'
import { parseInstant } from '@/core/engine/instant'
import { itemVariable } from '@/core/engine/item-variable'
import type { CompiledPipeline } from '@/core/pipeline/compile'
import { isComputed } from '@/core/tasks/computed'
import type { RehearsalPlan } from './plan'

type NodePlans = NonNullable<RehearsalPlan['nodes']>
type Attempts = NonNullable<NodePlans[string]['attempts']>
type Decisions = NonNullable<RehearsalPlan['approvals']>[string]

export type PlanOfRun =
  | { readonly ok: true; readonly plan: RehearsalPlan }
  /** Something happened to the run that no plan can say. */
  | { readonly ok: false; readonly message: string }

const UNPLANNABLE: ReadonlyMap<string, string> = new Map([
  ['pipeline.paused', 'it was paused'],
  ['pipeline.restarted', 'it was run again'],
  ['pipeline.rolling_back', 'it was rolled back'],
])

/**
 * The plan of a run that is over, from its journal: who did what when, how long things took and what they gave. Rehearsed, it
 * gives the events of the run in their order, as far as slots were free or the plan is told how many there were. A large value that
 * the journal only refers to is not known: it is invented.
 */
export function planOfRun(pipeline: CompiledPipeline, entries: readonly Entry[]): PlanOfRun {
  const [created] = entries
  if (created === undefined) return { ok: false, message: 'nothing has happened in it' }
  const { payload } = created.event
  if (payload['mocks'] !== undefined) return { ok: false, message: 'some of its nodes were mocked' }
  if (payload['origin'] !== undefined) return { ok: false, message: 'it went on from another run' }
  for (const { event } of entries) {
    const told =
      UNPLANNABLE.get(event.type) ?? (event.type.endsWith('.reset') ? 'nodes were reset' : undefined)
    if (told !== undefined) return { ok: false, message: told }
  }
  return { ok: true, plan: new ReadRun(pipeline, created.event).plan(entries) }
}

const INPUT = 'pipeline.input.'
const instantOf = (event: Event) => parseInstant(event.timestamp)

class ReadRun {
  readonly #startAt: number
  readonly #nodes: Record<string, { attempts: Attempts }> = {}
  readonly #approvals: Record<string, Decisions> = {}
  readonly #events: NonNullable<RehearsalPlan['events']> = []
  #cancel: RehearsalPlan['cancel']
  #cancelledAt: number | null = null
  /** When the attempt in flight began, by node and item, and when it was to be over. */
  readonly #begun = new Map<string, { readonly at: number; readonly timeoutAt: unknown }>()
  readonly #opened = new Map<string, number>()

  constructor(
    readonly pipeline: CompiledPipeline,
    readonly created: Event,
  ) {
    this.#startAt = instantOf(created)
  }

  plan(entries: readonly Entry[]): RehearsalPlan {
    for (const entry of entries) this.#read(entry)
    const inputs = entries[0]!.variables
      .filter(({ name }) => name.startsWith(INPUT))
      .map(({ name, value }) => [name.slice(INPUT.length), value] as const)
    return {
      startAt: this.#startAt,
      executionId: this.created.execution_id,
      inputs: Object.fromEntries(inputs) as NonNullable<RehearsalPlan['inputs']>,
      actor: { name: this.created.actor ?? 'somebody' },
      priority: this.created.payload['priority'] as number,
      nodes: this.#withOutputs(entries),
      approvals: this.#approvals,
      events: this.#events,
      ...(this.#cancel === undefined ? {} : { cancel: this.#cancel }),
    }
  }

  #read({ event }: Entry): void {
    const { entity_type: entity, entity_id: id } = event.source
    if (entity === 'external') return this.#readOutside(event)
    if (event.type === 'pipeline.cancelling') this.#cancelledAt = instantOf(event)
    if (event.type === 'pipeline.cancelling' && event.payload['timed_out'] !== true) {
      const { reason } = event.payload
      this.#cancel = {
        after: instantOf(event) - this.#startAt,
        rank: event.seq,
        ...(typeof reason === 'string' ? { reason } : {}),
        ...(event.actor === undefined ? {} : { by: event.actor }),
      }
    }
    if (event.type === `${id}.waiting`) this.#opened.set(id, instantOf(event))
    // What the engine times itself needs no plan.
    if (entity === 'task' && this.pipeline.nodes.get(id)?.kind !== 'wait') this.#readAttempt(event, id)
  }

  #readAttempt(event: Event, id: string): void {
    const key = `${id}/${event.item ?? ''}`
    const what = event.type.slice(`${id}.task.`.length)
    const { payload } = event
    if (what === 'started')
      return void this.#begun.set(key, { at: instantOf(event), timeoutAt: payload['timeout_at'] })
    const begun = this.#begun.get(key)
    if (begun === undefined || what === 'running') return
    this.#begun.delete(key)
    const error = payload['error'] as NodeError | undefined
    // The engine ended it at its deadline: its work would have gone on.
    const timedOut =
      error?.kind === 'timeout' &&
      typeof begun.timeoutAt === 'string' &&
      instantOf(event) >= parseInstant(begun.timeoutAt)
    const stoppedAt = error?.kind === 'cancelled' ? this.#cancelledAt : null
    const own = (this.#nodes[id] ??= { attempts: [] })
    own.attempts.push({
      ...(event.item === undefined ? {} : { item: event.item }),
      attempt: event.attempt ?? 1,
      duration: timedOut || stoppedAt !== null ? null : instantOf(event) - begun.at,
      ...(stoppedAt === null ? {} : { stopsAfter: instantOf(event) - stoppedAt }),
      rank: event.seq,
      ...(error === undefined || timedOut || stoppedAt !== null
        ? {}
        : { error: error as Attempts[number]['error'] & object }),
      ...(what === 'lost' ? { lost: String(payload['reason'] ?? '') } : {}),
    })
    // The same attempt goes on under another token.
    if (payload['next_token'] !== undefined)
      this.#begun.set(key, { at: instantOf(event), timeoutAt: payload['timeout_at'] })
  }

  #readOutside(event: Event): void {
    const id = event.source.entity_id
    const at = instantOf(event)
    const by = event.actor === undefined ? {} : { by: event.actor }
    const opened = this.#opened.get(id)
    const word = event.type.slice(`external.${id}.`.length)
    if (opened !== undefined && (word === 'approved' || word === 'rejected')) {
      const { comment, form } = event.payload
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
    const payload = event.payload as Record<string, never>
    this.#events.push({ type: event.type, after: at - this.#startAt, rank: event.seq, payload, ...by })
  }

  /** What completed attempts left behind. What a node computes of its input it computes again. */
  #withOutputs(entries: readonly Entry[]): NodePlans {
    const left = new Map<string, JsonObject>()
    for (const { event, variables } of entries) {
      if (variables.length === 0) continue
      const id = event.source.entity_id
      left.set(event.type, outputsOf(variables, `${id}.`))
      if (event.item !== undefined)
        left.set(`${id}/${event.item}`, outputsOf(variables, itemVariable(id, event.item, '')))
    }
    const plans: NodePlans = {}
    for (const [id, { attempts }] of Object.entries(this.#nodes)) {
      const computed = isComputed(this.pipeline.nodes.get(id)!.task)
      plans[id] = {
        attempts: attempts.map((one) => {
          const ends = one.error !== undefined || one.lost !== undefined || one.duration === null
          if (computed) return withoutError(one)
          if (ends) return one
          const key = one.item == null ? `${id}.completed` : `${id}/${one.item}`
          return { ...one, outputs: (left.get(key) ?? {}) as Record<string, never> }
        }),
      }
    }
    return plans
  }
}

/** A failure that its input decides comes of it again. */
function withoutError(one: Attempts[number]): Attempts[number] {
  const { error: _error, ...rest } = one
  return rest
}

function outputsOf(variables: Entry['variables'], prefix: string): JsonObject {
  const own = variables.filter(({ name, ref }) => name.startsWith(prefix) && ref === undefined)
  return Object.fromEntries(own.map(({ name, value }): [string, Json] => [name.slice(prefix.length), value]))
}
