import { expect } from 'vitest'
import type { Entry, JsonObject, NodeError } from '@/core/engine/event'
import { ruleOf } from '@/core/engine/event-table'
import type { EngineInput, Mock, Rejection, StartInput } from '@/core/engine/input'
import { logViolations, replayDiffers, violations } from '@/core/engine/invariants'
import type { LargeValues } from '@/core/engine/large-values'
import { compiledOf } from '@/core/engine/decide/attempt-outcome'
import { resolveInput } from '@/core/engine/decide/start-attempt'
import type { StepContext } from '@/core/engine/decide/step-context'
import { SLOTS, type Shortage } from '@/core/pipeline/definition/demand'
import type { Identity, Principal } from '@/core/engine/principal'
import type { AttemptState, ExecutionState, NodeState } from '@/core/engine/state'
import { attemptId, emptyState, nodeOf } from '@/core/engine/state'
import { step } from '@/core/engine/step'
import { wanted } from '@/core/engine/wanted'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { compilePipeline, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import { taskCatalog } from '@/tasks/contracts'
import { person } from './person'

export const S = 'event:pipeline.started'
export const ada = person('ada', ['approver', 'operator'])

/** Compiles a definition for a test; fails the test with all issues when it does not compile. */
export function compiled(
  definition: Partial<PipelineDefinition> & { nodes: PipelineDefinition['nodes'] },
): CompiledPipeline {
  const whole = { schemaVersion: 1, id: 'p', name: 'p', ...definition } as PipelineDefinition
  const result = compilePipeline(whole, { revision: 1, tasks: taskCatalog })
  if (!result.ok)
    throw new Error(result.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'))
  return result.pipeline
}

export type RunOptions = {
  readonly inputs?: JsonObject
  readonly mocks?: Readonly<Record<string, Mock>>
  /** Inputs that come from mocks of the run above. */
  readonly mockedInputs?: readonly string[]
  readonly slots?: number
  /** What is missing for more attempts; absent: slots alone may be. */
  readonly shortage?: StepContext['shortage']
  /** Whether a run that begins may join the runs of its pipeline. */
  readonly admitRun?: StepContext['admitRun']
  readonly actor?: Identity
  /** Of a fork. */
  readonly origin?: NonNullable<StartInput['origin']>
  /** Where large values go; absent: nowhere, they are refused. */
  readonly values?: LargeValues
  /** How deep the run is among pipelines within pipelines, when it does not matter whose child it is. */
  readonly depth?: number
  /** Whose child it is. */
  readonly parent?: NonNullable<StartInput['parent']>
  /** Attempts of pure tasks that each step computes by itself; absent: none, the test ends them. */
  readonly mostComputed?: number
  /** Absent: `x1`. */
  readonly executionId?: string
}

/** The first attempt that a worker, or a child, has to be at; undefined when nobody has to. */
export function nextWork(state: ExecutionState): AttemptState | undefined {
  const work = wanted(state).find(
    (effect) => (effect.kind === 'attempt' || effect.kind === 'child') && effect.desired !== 'stopped',
  )
  return work?.kind === 'attempt' || work?.kind === 'child' ? work.attempt : undefined
}

/**
 * Drives the real engine core by hand, on a clock that the test moves. After every step the invariants are checked and
 * every new event is held against the table of events; `close()` compares with a cold replay.
 */
export class EngineRun {
  readonly state: ExecutionState
  readonly entries: Entry[] = []
  now = Date.UTC(2026, 0, 1)
  readonly #slots: number
  readonly #admitRun: StepContext['admitRun']
  readonly #shortage: StepContext['shortage']
  readonly #mostComputed: number
  #ids = 0

  constructor(definition: Parameters<typeof compiled>[0], options: RunOptions = {}) {
    const pipeline = compiled(definition)
    this.state = emptyState(options.executionId ?? 'x1', pipeline, options.values)
    this.#slots = options.slots ?? Infinity
    this.#mostComputed = options.mostComputed ?? 0
    this.#shortage = options.shortage ?? ((_demands, held) => this.#slotShortage(held))
    this.#admitRun = options.admitRun ?? (() => 'free')
    const inputs = resolveInputs(pipeline.definition.inputs ?? {}, options.inputs)
    if (!inputs.ok) throw new Error(JSON.stringify(inputs.issues))
    this.take({
      type: 'start',
      inputs: inputs.values as JsonObject,
      actor: options.actor ?? ada,
      priority: pipeline.priority,
      labels: {},
      mocks: options.mocks ?? {},
      mockedInputs: options.mockedInputs ?? [],
      origin: options.origin ?? null,
      parent:
        options.parent ??
        (options.depth === undefined
          ? null
          : {
              executionId: 'x0',
              key: { node: 'n', generation: 1, item: null, attempt: 1, token: 1 },
              depth: options.depth,
            }),
    })
  }

  get #context() {
    return {
      now: this.now,
      shortage: this.#shortage,
      admitRun: this.#admitRun,
      computing: { left: this.#mostComputed },
      newId: () => `child${(this.#ids += 1)}`,
    }
  }

  #slotShortage(held: ReadonlyMap<string, number>): Shortage | null {
    const used = held.get(SLOTS) ?? 0
    return used < this.#slots ? null : { pool: SLOTS, reason: 'full', amount: 1, used, capacity: this.#slots }
  }

  /** One input; answers with the types of the events that it led to, and fails the test on a refusal. */
  take(input: EngineInput): string[] {
    const result = step(this.state, input, this.#context)
    if (!result.ok) throw new Error(`refused: ${result.rejection.code}: ${result.rejection.message}`)
    for (const entry of result.entries) {
      const rule = ruleOf(entry.event.type)
      if (rule === undefined) throw new Error(`event ${entry.event.type} is not in the table`)
      expect(eventTypeOf(entry.event.type).level).toBe(entry.event.source.entity_type)
      expect(rule.payload.safeParse(entry.event.payload).error, entry.event.type).toBeUndefined()
    }
    this.entries.push(...result.entries)
    expect(violations(this.state)).toEqual([])
    return result.entries.map(({ event }) => event.type)
  }

  refusal(input: EngineInput): Rejection {
    const before = this.state.seq
    const result = step(this.state, input, this.#context)
    if (result.ok)
      throw new Error(`was not refused: ${JSON.stringify(result.entries.map(({ event }) => event.type))}`)
    expect(this.state.seq).toBe(before)
    return result.rejection
  }

  attempt(node: string): AttemptState {
    const attempt = this.state.inFlight.get(node)
    if (attempt === undefined)
      throw new Error(`'${node}' has no attempt in flight; it is ${this.node(node).status}`)
    return attempt
  }

  /** The resolved input of the attempt in flight. */
  input(node: string): JsonObject {
    const resolved = resolveInput(this.state, compiledOf(this.state, this.attempt(node)), {
      upTo: this.attempt(node).startedSeq,
      item: this.attempt(node).item,
    })
    if (!resolved.ok) throw new Error(resolved.error.message)
    return resolved.input
  }

  /** The worker has all that the attempt needs. */
  begin(node: string): string[] {
    return this.take({ type: 'begin_attempt', key: this.attempt(node) })
  }

  complete(node: string, outputs: JsonObject = {}): string[] {
    return this.take({ type: 'complete_attempt', key: this.attempt(node), outputs })
  }

  fail(node: string, error: Partial<NodeError> = {}): string[] {
    return this.take({
      type: 'fail_attempt',
      key: this.attempt(node),
      error: { kind: 'task_failed', message: 'no', ...error },
    })
  }

  event(eventType: string, payload: JsonObject = {}, actor: Principal = ada): string[] {
    return this.take({ type: 'publish_event', eventType, payload, actor })
  }

  /** Moves the clock and fires what is due. */
  pass(ms: number): string[] {
    this.now += ms
    return this.take({ type: 'tick' })
  }

  /** Completes everything that is in flight, in order of start, until nothing is: `set` answers its input. */
  drain(): this {
    for (;;) {
      const attempt = nextWork(this.state)
      if (attempt === undefined) return this
      const { task } = compiledOf(this.state, attempt)
      const id = attemptId(attempt.node, attempt.item)
      this.now += 1
      if (task === 'fail') this.fail(id, this.input(id) as unknown as NodeError)
      else this.complete(id, task === 'set' ? this.input(id) : {})
    }
  }

  node(id: string): NodeState {
    return nodeOf(this.state, id)
  }

  get types(): string[] {
    return this.entries.map(({ event }) => event.type)
  }

  count(type: string): number {
    return this.types.filter((other) => other === type).length
  }

  payload(type: string): JsonObject {
    const entry = this.entries.findLast(({ event }) => event.type === type)
    if (entry === undefined) throw new Error(`no ${type} in ${this.types.join(' ')}`)
    return entry.event.payload
  }

  value(name: string): unknown {
    return this.state.variables.get(name)?.value
  }

  /** The log and its cold replay agree with the state. */
  check(): void {
    expect(logViolations(this.entries, this.state.pipeline.finallyNodes)).toEqual([])
    expect(replayDiffers(this.state, this.entries)).toBe(false)
  }
}

export type NodeSpec = PipelineDefinition['nodes'][number]
export const noop = (id: string, startWhen: string = S, more: Partial<NodeSpec> = {}): NodeSpec => ({
  id,
  task: 'noop',
  startWhen,
  ...more,
})
export const set = (
  id: string,
  values: JsonObject,
  startWhen: string = S,
  more: Partial<NodeSpec> = {},
): NodeSpec => ({ id, task: 'set', inputBindings: values, startWhen, ...more }) as NodeSpec
export const failing = (id: string, startWhen: string = S, more: Partial<NodeSpec> = {}): NodeSpec => ({
  id,
  task: 'fail',
  inputBindings: { message: 'no' },
  startWhen,
  ...more,
})
/** A node that runs in a child process and so holds a slot. */
export const heavy = (id: string, startWhen: string = S, more: Partial<NodeSpec> = {}): NodeSpec => ({
  id,
  task: 'script.javascript',
  inputBindings: { code: 'return 1' },
  startWhen,
  ...more,
})
export const wait = (
  id: string,
  duration: string,
  startWhen: string = S,
  more: Partial<NodeSpec> = {},
): NodeSpec => ({
  id,
  task: 'wait',
  inputBindings: { duration },
  startWhen,
  ...more,
})
export const gate = (
  id: string,
  bindings: JsonObject = {},
  startWhen: string = S,
  more: Partial<NodeSpec> = {},
): NodeSpec =>
  ({
    id,
    task: 'approval',
    inputBindings: { message: 'ok?', approvers: ['role:approver'], ...bindings },
    startWhen,
    ...more,
  }) as NodeSpec
