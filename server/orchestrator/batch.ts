import type { EngineInput } from '@/core/engine/input'
import { typedEvent } from '@/core/engine/typed-event'
import { step, type Step } from '@/core/engine/step'
import type { Admission, WaitingRun } from '@/core/scheduling/admission'
import type { Live, LiveExecutions } from './live-execution'
import type { NodeDurations } from './node-durations'
import { notFound, refusedApart, type Open, type Refused, type Submission } from './submission'

export type BatchPorts = {
  readonly lives: LiveExecutions
  readonly admission: Admission
  readonly durations: NodeDurations
  readonly newId: () => string
  /** Brings the execution of an input into memory, and submits the input again. */
  readonly fetch: (submission: Submission) => void
  /** An execution whose step failed by a defect: it must not take the others with it. */
  readonly setApart: (live: Live, error: unknown) => void
  /** Why nothing is done for an execution, or null. */
  readonly apart: (executionId: string) => string | null
  readonly warn: (what: string, error: unknown) => void
  /** Attempts that one batch computes by itself. What is left then waits for the next batch, so that none takes long. */
  readonly mostComputed: number
}

/** Inputs that are decided together and committed in one transaction. */
export type Batch = {
  readonly now: number
  readonly computing: { left: number }
  readonly opens: Map<string, Open>
  /** Those whom the refusal of their input has to reach. */
  readonly refused: (() => void)[]
}

/**
 * Decides what a batch writes. Inputs of one batch decide against each other's speculative state; then what became free in
 * a pool goes to the first in its queue.
 */
export function createBatches(ports: BatchPorts) {
  const { lives, admission } = ports
  const advance = createAdvance(ports)

  function decide(batch: Batch, live: Live, submission: Submission): void {
    // It is about to begin, and a caller who knows its id came first: nothing is before the first entry.
    const unborn = live.state.seq === 0 && submission.input.type !== 'start'
    const result = unborn ? notFound(submission.executionId) : advance(batch, live, submission.input)
    if (!result.ok) {
      batch.refused.push(() => submission.settle(result))
      return
    }
    const open = openOf(batch, live, live.state.seq - result.entries.length)
    open.entries.push(...result.entries)
    open.answers.push({ submission, entries: result.entries })
    if (submission.remember !== undefined) open.idempotency.push(submission.remember(live, result.entries))
  }

  /** What the engine itself decides for an execution; false when it is refused. */
  function go(batch: Batch, live: Live, input: EngineInput): boolean {
    const result = advance(batch, live, input)
    if (!result.ok) return false
    openOf(batch, live, live.state.seq - result.entries.length).entries.push(...result.entries)
    return true
  }

  /** What became free in a pool goes to the first in its queue, of all executions. */
  function admit(batch: Batch): void {
    for (let next = admission.next(batch.now); next !== null; next = admission.next(batch.now)) {
      const live = lives.get(next.executionId)
      if (next.kind === 'run') admitRun(batch, next, live)
      else if (live !== undefined) go(batch, live, { type: 'admit', node: next.nodeId })
    }
  }

  /** A run that waited to begin may be out of memory. */
  function admitRun(batch: Batch, { executionId, pipelineId }: WaitingRun, live: Live | undefined): void {
    if (live !== undefined) return void go(batch, live, { type: 'schedule' })
    const giveBack = () => admission.leaveRun(pipelineId, executionId)
    ports.fetch({
      executionId,
      input: { type: 'schedule' },
      settle: (outcome) => outcome.ok || giveBack(),
      fail(error) {
        giveBack()
        ports.warn(`${executionId} was admitted and could not begin`, error)
      },
    })
  }

  function openOf(batch: Batch, live: Live, expectedSeq: number): Open {
    const id = live.state.executionId
    let open = batch.opens.get(id)
    if (open === undefined) {
      open = { live, expectedSeq, entries: [], idempotency: [], answers: [] }
      batch.opens.set(id, open)
      // Another that goes idle in this batch must not push it out.
      lives.set(id, live)
    }
    return open
  }

  /** What was fetched and left memory before its turn. Should it be out of date, the journal refuses what it leads to. */
  function comeBack({ executionId, live }: Submission): Live | undefined {
    if (live !== undefined) lives.set(executionId, live)
    return live
  }

  /** @returns the batch, and the submissions that were too many for it */
  return function decideAll(submissions: Submission[], now: number): { batch: Batch; rest: Submission[] } {
    const batch: Batch = { now, computing: { left: ports.mostComputed }, opens: new Map(), refused: [] }
    let taken = 0
    while (
      taken < submissions.length &&
      (taken === 0 || batch.computing.left > 0 || ports.mostComputed === 0)
    ) {
      const submission = submissions[taken]!
      taken += 1
      const live = lives.get(submission.executionId) ?? comeBack(submission)
      if (live === undefined) ports.fetch(submission)
      else decide(batch, live, submission)
    }
    admit(batch)
    return { batch, rest: taken === submissions.length ? [] : submissions.slice(taken) }
  }
}

/** One step of the engine, with what admission and statistics have to know of it. */
function createAdvance(ports: BatchPorts) {
  const { admission, durations } = ports

  /** What the batch was to write for the execution is void: its state cannot be trusted. */
  function giveUp({ opens }: Batch, live: Live, error: unknown): Refused {
    const { executionId } = live.state
    ports.setApart(live, error)
    const refused = refusedApart(ports.apart(executionId))
    for (const { submission } of opens.get(executionId)?.answers ?? []) submission.settle(refused)
    opens.delete(executionId)
    return refused
  }

  /** Work that the engine has ended itself holds its process until that is dead: nobody else could begin there. */
  function occupyWithRest({ state, inFlight }: Live): void {
    for (const key of state.touched) {
      const work = inFlight.get(key)
      // The next attempt of the same work waits for its end, and holds its share.
      if (work === undefined || work.vacate !== null || state.inFlight.has(key)) continue
      work.vacate = admission.occupyUntilDead(work.demands, `${state.executionId}/${key}`)
    }
  }

  return function advance(batch: Batch, live: Live, input: EngineInput): Step | Refused {
    const { state } = live
    const { now, computing } = batch
    let result: Step
    try {
      const context = { now, computing, ...admission.contextOf(state, input), newId: ports.newId }
      result = step(state, input, context)
    } catch (error) {
      return giveUp(batch, live, error)
    }
    const entries = result.ok ? result.entries : []
    if (live.inFlight.size > 0) occupyWithRest(live)
    admission.update(state, entries, now)
    for (const { event } of entries) {
      const typed = typedEvent(event)
      if (typed.level !== 'node' || (typed.word !== 'completed' && typed.word !== 'failed')) continue
      // It says nothing of how long the work takes.
      if (typed.word === 'completed' && typed.payload.by_hand !== undefined) continue
      const node = state.pipeline.nodes.get(typed.node)!
      if (node.kind !== 'approval' && node.kind !== 'wait' && state.mocks[typed.node] === undefined)
        durations.note(state.pipeline.definition.id, typed)
    }
    return result
  }
}
