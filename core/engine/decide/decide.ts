import { identityOf, type Principal } from '@/core/engine/principal'
import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import { eventName } from '@/core/pipeline/gate/start-when'
import { hasCronTrigger } from '@/core/pipeline/definition/triggers'
import { attemptRuns } from './attempt-clock'
import { compiledOf, completeAttempt, failAttempt, loseAttempt, queueAgain } from './attempt-outcome'
import { approvalNamedBy, approved, decideApproval } from './approval'
import type { JsonObject } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import type { Decision } from './decision'
import type { Fact } from './fact'
import { externalFact, nodeFact, pipelineFact } from './fact'
import { elapsedMs, formatInstant } from '@/core/engine/instant'
import type { AttemptKey, EngineInput, StartInput } from '@/core/engine/input'
import { jsonBytes } from '@/core/engine/json-bytes'
import { sizeOf, variableWrite } from '@/core/engine/large-values'
import { attemptShortage, itemShortage, poolOf } from './demand'
import { subPipelinesPayload } from './gate-below'
import { propagateItems } from './items'
import { completeByHand } from './by-hand'
import { checkMocks } from './mocks'
import { beginRun, tooManyRunning } from './begin-run'
import { endEverything } from './end-everything'
import { rerun } from './reset'
import { admitStep, restartAfterRollback, rollBack, stopRollback, tryStepAgain } from './rollback'
import { startAttempt } from './start-attempt'
import { startQueued } from './start-node'
import type { StepContext } from './step-context'
import type { AttemptState, ExecutionState } from '@/core/engine/state'
import { attemptId, isFinished, isRollingBack, nodeOf } from '@/core/engine/state'
import type { PayloadOf } from '@/core/engine/typed-event'
import type { Timer } from '@/core/engine/timers'

const UNCHANGED: Decision = { ok: true, facts: [] }

/** What an input means for this state at this time (milliseconds since the epoch). Consequences of consequences: `propagate`. */
export function decide(state: ExecutionState, input: EngineInput, context: StepContext): Decision {
  const { now } = context
  switch (input.type) {
    case 'start':
      return start(state, input, context)
    case 'schedule':
      return schedule(state, context)
    case 'complete_attempt':
      return withAttempt(state, input.key, (attempt) => completeAttempt(state, attempt, input, now))
    case 'fail_attempt':
      return withAttempt(state, input.key, (attempt) => failAttempt(state, attempt, input, now))
    case 'lose_attempt':
      return withAttempt(state, input.key, (attempt) => loseAttempt(state, attempt, input.reason, context))
    case 'begin_attempt':
      return withAttempt(state, input.key, (attempt) =>
        attempt.beginBy === null ? [] : [runs(state, attempt, { ratio: null, message: null }, now)],
      )
    case 'report_progress': {
      const { ratio, message } = input
      return withAttempt(state, input.key, (attempt) => [runs(state, attempt, { ratio, message }, now)])
    }
    case 'tick':
      return tick(state, context)
    case 'look':
      return UNCHANGED
    case 'admit':
      return admit(state, input.node, context)
    case 'publish_event':
      return publish(state, input, now)
    case 'cancel':
      return cancel(state, input, now)
    case 'pause':
      return pause(state, input)
    case 'resume':
      return resume(state, input)
    case 'roll_back':
      return rollBack(state, input, context)
    case 'rerun':
      return rerun(state, input.nodes, input.actor, context)
    case 'complete_by_hand':
      return completeByHand(state, input, context)
  }
}

function runs(
  state: ExecutionState,
  attempt: AttemptState,
  progress: Parameters<typeof attemptRuns>[2],
  now: number,
): Fact {
  return attemptRuns(attempt, compiledOf(state, attempt), progress, now)
}

/** Create and run in one step [G-6]: the inputs and the system variables are there from the first entry [N-4]. */
function start(state: ExecutionState, input: StartInput, context: StepContext): Decision {
  const { now } = context
  const mocked = checkMocks(state, input)
  if (mocked !== null) return { ok: false, rejection: mocked }
  const inputs = Object.entries(input.inputs).map(([name, value]) => {
    const { bytes, inline } = sizeOf(state.values, value)
    return { name: `pipeline.input.${name}`, node: 'pipeline', value, bytes, inline }
  })
  const large = inputs.find(({ bytes }) => bytes > state.values.mostBytes)
  if (large !== undefined) {
    const message = `${large.name} is larger than ${state.values.mostBytes} bytes`
    return { ok: false, rejection: { code: 'payload_too_large', message } }
  }
  // Children are part of their parent's run: they do not count against the limit.
  const admission = input.parent === null ? context.admitRun() : 'free'
  if (admission === 'refuse') return { ok: false, rejection: tooManyRunning(state) }
  const variables = [
    ...inputs.map((write) => variableWrite(state.values, write)),
    { name: 'system.execution_id', value: state.executionId },
    { name: 'system.started_at', value: formatInstant(now) },
    ...(hasCronTrigger(state.pipeline.definition)
      ? [
          {
            name: 'system.scheduled_at',
            value: input.scheduledAt === undefined ? null : formatInstant(input.scheduledAt),
          },
        ]
      : []),
    ...(input.origin?.snapshot.variables ?? []),
  ]
  const payload = {
    pipeline_id: state.pipeline.definition.id,
    revision: state.pipeline.revision,
    priority: input.priority,
    labels: input.labels,
    ...(Object.keys(input.mocks).length === 0 ? {} : { mocks: input.mocks }),
    ...(input.mockedInputs?.length ? { mocked_inputs: [...input.mockedInputs] } : {}),
    ...(input.byHandAbove?.length ? { by_hand_above: [...input.byHandAbove] } : {}),
    ...subPipelinesPayload(state.pipeline, input.subPipelines),
    ...(input.alsoRequestedBy === undefined
      ? {}
      : { also_requested_by: input.alsoRequestedBy.map(identityOf) }),
    ...(input.parent === null ? {} : { parent: parentPayload(input.parent) }),
    ...(input.traceParent === undefined ? {} : { trace_parent: input.traceParent }),
    ...(input.origin === null ? {} : originPayload(input.origin)),
  }
  if (jsonBytes(payload, LIMITS.eventPayloadBytes) > LIMITS.eventPayloadBytes) {
    const message = `what the run starts with (labels, mocks, sub-pipelines) is larger than ${LIMITS.eventPayloadBytes} bytes`
    return { ok: false, rejection: { code: 'payload_too_large', message } }
  }
  return {
    ok: true,
    facts: [
      pipelineFact(state, 'created', payload, { actor: input.actor, variables }),
      ...(admission === 'free' ? beginRun(state, now) : []),
    ],
  }
}

/** A run that waited for `maxRunning` may begin. */
function schedule(state: ExecutionState, context: StepContext): Decision {
  if (state.seq === 0 || state.lifecycle !== 'PENDING' || context.admitRun() !== 'free')
    return {
      ok: false,
      rejection: {
        code: 'not_queued',
        message: 'the run does not wait to be admitted, or its pipeline still has as many runs as it may',
      },
    }
  // Of a rerun it stays what it was: what is not done again may have read it.
  const started = { name: 'system.started_at', value: formatInstant(context.now) }
  const variables = state.events.has('pipeline.started') ? [] : [started]
  return { ok: true, facts: beginRun(state, context.now, { variables }) }
}

type Created = PayloadOf<'pipeline', 'created'>

function parentPayload({
  executionId,
  key,
  depth,
}: NonNullable<StartInput['parent']>): NonNullable<Created['parent']> {
  const { node, generation, item, attempt, token } = key
  return { execution_id: executionId, node_id: node, generation, item, attempt, token, depth }
}

function originPayload({
  executionId,
  seq,
  snapshot,
}: NonNullable<StartInput['origin']>): Pick<Created, 'origin' | 'events'> {
  return { origin: { execution_id: executionId, seq }, events: snapshot.events }
}

/** Finds the attempt that a result is about; an old token changes nothing. */
function withAttempt(
  state: ExecutionState,
  key: AttemptKey,
  facts: (attempt: AttemptState) => readonly Fact[],
): Decision {
  const attempt = state.inFlight.get(attemptId(key.node, key.item))
  if (
    attempt === undefined ||
    attempt.generation !== key.generation ||
    attempt.attempt !== key.attempt ||
    attempt.token !== key.token
  ) {
    const message = `attempt ${key.attempt} of '${key.node}' (token ${key.token}) is not the current one`
    return { ok: false, rejection: { code: 'stale_attempt', message } }
  }
  return { ok: true, facts: facts(attempt) }
}

/** Fires the timer that is due first; `step` asks again until none is due. A timer never fires early. */
function tick(state: ExecutionState, context: StepContext): Decision {
  const { now } = context
  const timer = state.timers.next()
  return timer === undefined || timer.dueAt > now
    ? UNCHANGED
    : { ok: true, facts: fire(state, timer, context) }
}

function fire(state: ExecutionState, timer: Timer, context: StepContext): readonly Fact[] {
  const { now } = context
  if (timer.kind === 'run') return runTimedOut(state, now)
  if (timer.kind === 'restart') return restartAfterRollback(state, now)
  const node = nodeOf(state, timer.node)
  const compiled = state.pipeline.nodes.get(timer.node)!
  const attempt = state.inFlight.get(attemptId(timer.node, timer.item))
  switch (timer.kind) {
    case 'begin': {
      const reason = `its work did not begin within ${LIMITS.beginMs / 60_000} minutes`
      return loseAttempt(state, attempt!, reason, context)
    }
    case 'attempt_timeout': {
      const { timeoutMs } = compiledOf(state, attempt!)
      const message = `attempt ${attempt!.attempt} took longer than its timeout of ${timeoutMs} ms`
      return failAttempt(state, attempt!, { error: { kind: 'timeout', message } }, now)
    }
    case 'wait':
      return completeAttempt(
        state,
        attempt!,
        { outputs: { waited_ms: elapsedMs(attempt!.startedAt, now) } },
        now,
      )
    case 'retry':
      return isRollingBack(state)
        ? tryStepAgain(state, timer.node, context)
        : retryIsDue(state, timer, context)
    case 'start':
      return [
        nodeFact({ node: timer.node, generation: node.generation }, 'waiting', {
          for: 'event',
          events: externalAtoms(compiled),
          expired: true,
        }),
      ]
    case 'approval': {
      const timedOut = nodeFact({ node: timer.node, generation: node.generation }, 'timeout', {
        due_at: formatInstant(timer.dueAt),
      })
      if (node.status === 'waiting' && node.approval?.onTimeout === 'approve')
        return [timedOut, ...approved(compiled, node, [], now)]
      const error = { kind: 'timeout', message: 'nobody decided in time' }
      return [
        timedOut,
        nodeFact({ node: timer.node, generation: node.generation }, 'failed', { error, attempts: 0 }),
      ]
    }
  }
}

const externalAtoms = (compiled: CompiledNode) => compiled.gateEvents.filter(isExternal)

/** The time of the next try has come: it begins, or waits for a slot (or for the run to go on). */
function retryIsDue(state: ExecutionState, { node: id, item }: Timer, context: StepContext): readonly Fact[] {
  const node = nodeOf(state, id)
  const compiled = state.pipeline.nodes.get(id)!
  const attempt =
    item === null ? (node.status === 'retrying' ? node.attempt : 1) : (node.items?.retries.get(item) ?? 1)
  const shortage = attemptShortage(state, compiled, context)
  const room = item === null || node.items === null || itemShortage(compiled, node.items) === null
  if (!state.paused && shortage === null && room)
    return startAttempt(state, compiled, { item, attempt }, context)
  const gate = 'gate' in node ? node.gate : { events: [], conditions: [] }
  const payload = { gate, attempt, ...poolOf(shortage) }
  return [nodeFact({ node: id, generation: node.generation }, 'queued', payload, { item })]
}

/** The run took longer than its policy allows: as a cancel, but the outcome is a failure. */
function runTimedOut(state: ExecutionState, now: number): readonly Fact[] {
  const reason = `the run took longer than its timeout of ${state.pipeline.timeoutMs} ms`
  const cancelling = pipelineFact(state, 'cancelling', { reason, timed_out: true })
  return [cancelling, ...endEverything(state, reason, now)]
}

/** A slot is free for a node: it starts, its next attempt does, or its next item. */
function admit(state: ExecutionState, id: string, context: StepContext): Decision {
  const node = state.nodes.get(id)
  const compiled = state.pipeline.nodes.get(id)
  const refused: Decision = {
    ok: false,
    rejection: { code: 'not_queued', message: `'${id}' waits for no slot` },
  }
  if (isRollingBack(state)) {
    const facts = admitStep(state, id, context)
    return facts === null ? refused : { ok: true, facts }
  }
  if (
    node === undefined ||
    compiled === undefined ||
    state.paused ||
    (state.cancelling !== null && !compiled.finally)
  )
    return refused
  if (node.status === 'queued') return { ok: true, facts: startQueued(state, compiled, node, context) }
  if (node.status !== 'running' || node.items === null) return refused
  const facts = propagateItems(state, compiled, { ...node, items: node.items }, context)
  return facts.length === 0 ? refused : { ok: true, facts }
}

const EVENT_TYPE_LENGTH = 300

/** An event from outside, for this execution only: the one door for data that is ready and for people's decisions [E-17, R-20]. */
function publish(
  state: ExecutionState,
  input: { eventType: string; payload: JsonObject; actor: Principal },
  now: number,
): Decision {
  const { eventType: type, payload, actor } = input
  if (!isExternal(type) || !eventName.test(type) || type.length > EVENT_TYPE_LENGTH) {
    const message = `'${type.slice(0, 100)}' cannot be published: types begin with 'external.' and have segments of a-z, 0-9 and _`
    return { ok: false, rejection: { code: 'invalid_event_type', message } }
  }
  if (isFinished(state)) {
    return {
      ok: false,
      rejection: {
        code: 'execution_finished',
        message: `the execution is over (${endOf(state)}) and takes no events`,
      },
    }
  }
  if (jsonBytes(payload, LIMITS.eventPayloadBytes) > LIMITS.eventPayloadBytes) {
    const message = `the payload is larger than ${LIMITS.eventPayloadBytes} bytes; store the data and publish a reference to it`
    return { ok: false, rejection: { code: 'payload_too_large', message } }
  }
  const ballot = approvalNamedBy(state, type)
  if (ballot !== null) return decideApproval(state, ballot, input, now)
  const { node, word } = eventTypeOf(type)
  const about = {
    id: word === '' ? node : `${node}.${word}`,
    generation: state.generation,
    actor,
  }
  return { ok: true, facts: [externalFact(type, payload, about)] }
}

/** Evaluation stops at once; what runs is asked to stop and awaited. Asking again changes nothing. */
function cancel(
  state: ExecutionState,
  input: { reason: string | null; actor: Principal },
  now: number,
): Decision {
  if (isRollingBack(state)) return stopRollback(state, input)
  if (state.lifecycle === 'CANCELLED' || state.cancelling !== null) return UNCHANGED
  if (isFinished(state)) {
    return {
      ok: false,
      rejection: {
        code: 'execution_finished',
        message: `the execution is over (${endOf(state)}) and cannot be cancelled`,
      },
    }
  }
  const cancelling = pipelineFact(state, 'cancelling', { reason: input.reason }, { actor: input.actor })
  return { ok: true, facts: [cancelling, ...endEverything(state, input.reason, now)] }
}

/** Nothing new starts; with `hard` the work in flight is stopped, and done again after the resume. */
function pause(state: ExecutionState, input: Extract<EngineInput, { type: 'pause' }>): Decision {
  if (isFinished(state)) return over(state, 'paused')
  if (state.cancelling !== null)
    return {
      ok: false,
      rejection: { code: 'execution_finished', message: 'the execution is being cancelled' },
    }
  const running = [...state.inFlight.values()].filter((attempt) => attempt.placement !== 'engine')
  const { reason, hard, holder, actor } = input
  if (isRollingBack(state) && holder === undefined)
    return { ok: false, rejection: { code: 'rolling_back', message: 'the execution is being rolled back' } }
  const held = state.pauses[holder ?? 'person']
  if (held !== null && (!hard || (running.length === 0 && (held === 'hard' || holder === undefined))))
    return UNCHANGED
  const payload = { reason, hard, ...(holder === undefined ? {} : { holder }) }
  const facts: Fact[] = [pipelineFact(state, 'paused', payload, { actor })]
  if (hard && !isRollingBack(state))
    for (const attempt of running) facts.push(...queueAgain(state, attempt, 'stopped by a pause'))
  return { ok: true, facts }
}

/** A person resumes what people paused; what its paused parent holds goes on with the parent. */
function resume(state: ExecutionState, input: Extract<EngineInput, { type: 'resume' }>): Decision {
  if (isFinished(state)) return over(state, 'resumed')
  const { pauses, parent } = state
  const { holder, actor } = input
  if (holder === undefined && pauses.parent !== null && parent !== null) {
    const message = `the run is paused because its parent ${parent.executionId} is: resume the parent, and this run goes on with it`
    return { ok: false, rejection: { code: 'parent_paused', message } }
  }
  if (holder === undefined ? !state.paused : pauses.parent === null) return UNCHANGED
  const payload = holder === undefined ? {} : { holder }
  return { ok: true, facts: [pipelineFact(state, 'resumed', payload, { actor })] }
}

/** How a run ended, in the word that people see as its status. */
const endOf = ({ lifecycle }: ExecutionState): string =>
  lifecycle === 'COMMIT' ? 'completed' : lifecycle === 'ROLLBACK' ? 'rolled back' : lifecycle.toLowerCase()

function over(state: ExecutionState, what: string): Decision {
  const message = `the execution is over (${endOf(state)}) and cannot be ${what}`
  return { ok: false, rejection: { code: 'execution_finished', message } }
}
