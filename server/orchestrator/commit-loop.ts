import type { Admission } from '@/core/scheduling/admission'
import type { Places } from '@/core/scheduling/places'
import { admitsFor, settleSlots } from '@/core/scheduling/slots'
import type { Entry } from '@/core/engine/event'
import type { EngineInput, Rejection } from '@/core/engine/input'
import { typedEvent } from '@/core/engine/typed-event'
import { step, type Step } from '@/core/engine/step'
import type { Clock } from '@/server/ports/clock'
import type { IdempotencyRecord, PendingApproval } from '@/server/ports/journal'
import type { Outbox } from '@/server/ports/webhooks'
import type { Commit } from './contract'
import type { ValuesOfRuns } from './large-values'
import type { Live, LiveExecutions } from './live-execution'
import type { NodeDurations } from './node-durations'
import type { OwnedJournal, OwnWrite } from './owned-journal'
import { approvalChanges, rowOf } from './registry-row'

/** What an input came to, once it is durable. */
export type Outcome =
  | { readonly ok: true; readonly entries: readonly Entry[]; readonly live: Live }
  | {
      readonly ok: false
      readonly rejection: Rejection | { readonly code: 'not_found' | 'set_apart'; readonly message: string }
    }

export type Submission = {
  readonly executionId: string
  readonly input: EngineInput
  /** The execution, when it was fetched for this input: it may have left memory again, and then comes back as it is. */
  readonly live?: Live
  /** Made of the entries that answer the input, and written with them. */
  readonly remember?: (live: Live, entries: readonly Entry[]) => IdempotencyRecord
  readonly settle: (outcome: Outcome) => void
  readonly fail: (error: unknown) => void
}

/** What one batch writes for one execution, while the batch is being decided. */
type Open = {
  readonly live: Live
  readonly expectedSeq: number
  readonly entries: Entry[]
  readonly idempotency: IdempotencyRecord[]
  readonly answers: { readonly submission: Submission; readonly entries: readonly Entry[] }[]
}

export type CommitLoopPorts = {
  readonly journal: Pick<OwnedJournal, 'commit'>
  readonly clock: Clock
  /** Large values are on disk before the entries that name them. */
  readonly values: Pick<ValuesOfRuns, 'flush'>
  readonly lives: LiveExecutions
  readonly admission: Admission
  readonly places: Places
  readonly durations: NodeDurations
  readonly newId: () => string
  /** Whom events have to be told outside; absent: nobody. */
  readonly outbox?: Outbox | undefined
  /** Brings an execution into memory; null when there is none. */
  readonly load: (executionId: string) => Promise<Live | null>
  /** Called after the commit, once per execution in it, before its inputs are answered. */
  readonly committed: (live: Live, commit: Commit) => void
  /** Takes an execution out of memory whose state is not what the journal holds. */
  readonly evict: (live: Live) => void
  /** An execution whose step failed by a defect: it must not take the others with it. */
  readonly setApart: (live: Live, error: unknown) => void
  /** Why nothing is done for an execution, or null. */
  readonly apart: (executionId: string) => string | null
  readonly warn: (what: string, error: unknown) => void
  /** The journal cannot be written any more: nothing may be acknowledged, the process has to end. */
  readonly fatal: (error: unknown) => void
}

/**
 * The commit loop. Whatever has arrived is decided and committed at once, in one transaction; what arrives meanwhile
 * forms the next batch: a group commit that clocks itself. Inputs of one batch decide against each other's speculative
 * state; acknowledgements, effects and streams wait for the commit.
 */
export function createCommitLoop(ports: CommitLoopPorts) {
  const { journal, clock, lives, admission, places, durations, outbox } = ports
  let mailbox: Submission[] = []
  let scheduled = false
  let committing: Promise<void> | null = null
  let broken: unknown = null

  function submit(submission: Submission): void {
    if (broken !== null) return submission.fail(broken)
    mailbox.push(submission)
    schedule()
  }

  function schedule(): void {
    if (mailbox.length > 0) look()
  }

  /** Lets a batch come, also of nothing but what waits. */
  function look(): void {
    if (scheduled || committing !== null) return
    scheduled = true
    clock.defer(() => {
      scheduled = false
      committing = flush().finally(() => {
        committing = null
        schedule()
      })
    })
  }

  async function flush(): Promise<void> {
    const batch = new Map<string, Open>()
    const refused: (() => void)[] = []
    const submissions = mailbox
    mailbox = []
    const now = clock.now()
    for (const submission of submissions) {
      const live = lives.get(submission.executionId) ?? comeBack(submission)
      if (live === undefined) fetch(submission)
      else decide(batch, refused, live, submission, now)
    }
    admitWaiting(batch, now)
    admitRuns(batch, now)
    for (const answer of refused) answer()
    if (batch.size > 0) await commit(batch)
  }

  /** The execution is not in memory: its input waits for it, the batch does not. */
  function fetch(submission: Submission): void {
    const { executionId } = submission
    ports.load(executionId).then(
      (live) => {
        if (live === null) submission.settle(notFound(executionId))
        else submit({ ...submission, live })
      },
      (error: unknown) => {
        if (ports.apart(executionId) === null) submission.fail(error)
        else submission.settle(refusalOf(executionId))
      },
    )
  }

  function notFound(executionId: string): Outcome & { readonly ok: false } {
    const message = `there is no execution '${executionId}'`
    return { ok: false, rejection: { code: 'not_found', message } }
  }

  function refusalOf(executionId: string): Outcome & { readonly ok: false } {
    return { ok: false, rejection: { code: 'set_apart', message: ports.apart(executionId) ?? '' } }
  }

  /** What the batch was to write for it is void: its state cannot be trusted. */
  function giveUp(batch: Map<string, Open>, live: Live, error: unknown): Outcome & { readonly ok: false } {
    const { executionId } = live.state
    ports.setApart(live, error)
    const refused = refusalOf(executionId)
    for (const { submission } of batch.get(executionId)?.answers ?? []) submission.settle(refused)
    batch.delete(executionId)
    return refused
  }

  /** What was fetched and left memory before its turn. Should it be out of date, the journal refuses what it leads to. */
  function comeBack({ executionId, live }: Submission): Live | undefined {
    if (live !== undefined) lives.set(executionId, live)
    return live
  }

  function decide(
    batch: Map<string, Open>,
    refused: (() => void)[],
    live: Live,
    submission: Submission,
    now: number,
  ): void {
    // It is about to begin, and somebody who was told its id came first: nothing is before the first entry.
    const unborn = live.state.seq === 0 && submission.input.type !== 'start'
    const result = unborn ? notFound(submission.executionId) : advance(batch, live, submission.input, now)
    if (!result.ok) {
      refused.push(() => submission.settle(result))
      return
    }
    const open = openOf(batch, live, live.state.seq - result.entries.length)
    open.entries.push(...result.entries)
    open.answers.push({ submission, entries: result.entries })
    if (submission.remember !== undefined) open.idempotency.push(submission.remember(live, result.entries))
  }

  /** Places that became free go to the runs that wait for them. */
  function admitRuns(batch: Map<string, Open>, now: number): void {
    for (let next = places.next(); next !== null; next = places.next()) {
      const { executionId, pipelineId } = next
      const live = lives.get(executionId)
      if (live === undefined) {
        const giveBack = () => places.leave(pipelineId, executionId)
        fetch({
          executionId,
          input: { type: 'schedule' },
          settle: (outcome) => outcome.ok || giveBack(),
          fail(error) {
            giveBack()
            ports.warn(`${executionId} could not take its place`, error)
          },
        })
        continue
      }
      const result = advance(batch, live, { type: 'schedule' }, now)
      if (!result.ok) continue
      openOf(batch, live, live.state.seq - result.entries.length).entries.push(...result.entries)
    }
  }

  /** Slots that became free go to whoever is first in the queue, of all executions. */
  function admitWaiting(batch: Map<string, Open>, now: number): void {
    for (let next = admission.next(); next !== null; next = admission.next()) {
      const live = lives.get(next.executionId)
      if (live === undefined) continue
      const result = advance(batch, live, { type: 'admit', node: next.nodeId }, now)
      if (!result.ok) continue
      openOf(batch, live, live.state.seq - result.entries.length).entries.push(...result.entries)
    }
  }

  function openOf(batch: Map<string, Open>, live: Live, seqBefore: number): Open {
    const id = live.state.executionId
    let open = batch.get(id)
    if (open === undefined) {
      open = { live, expectedSeq: seqBefore, entries: [], idempotency: [], answers: [] }
      batch.set(id, open)
      // Another that goes idle in this batch must not push it out.
      lives.set(id, live)
    }
    return open
  }

  /** One step of the engine, with what admission and statistics have to know of it. */
  function advance(batch: Map<string, Open>, live: Live, input: EngineInput, now: number) {
    const { state } = live
    const before = state.slots
    const admits = admitsFor(admission, input, before)
    const place = () => places.ask(state.pipeline.definition.id, state.executionId)
    let result: Step
    try {
      result = step(state, input, { now, admits, place, newId: ports.newId })
    } catch (error) {
      state.slots = before
      return giveUp(batch, live, error)
    }
    const entries = result.ok ? result.entries : []
    settleSlots(admission, state, before, entries, now)
    places.settle(state)
    for (const { event } of entries) {
      const typed = typedEvent(event)
      if (typed.level !== 'node' || (typed.word !== 'completed' && typed.word !== 'failed')) continue
      const node = state.pipeline.nodes.get(typed.node)!
      if (node.kind !== 'approval' && node.kind !== 'wait' && state.mocks[typed.node] === undefined)
        durations.note(state.pipeline.definition.id, typed)
    }
    return result
  }

  async function commit(batch: Map<string, Open>): Promise<void> {
    const executions: OwnWrite[] = []
    const rows = new Map<string, Live['row']>()
    for (const [executionId, open] of batch) {
      const { live } = open
      const row = rowOf(live.state, live.row)
      rows.set(executionId, row === live.row ? null : row)
      const approvals: { opened: PendingApproval[]; closed: string[] } = approvalChanges(
        live.state,
        open.entries,
      )
      const deliveries = outbox?.owed(live.state.pipeline.definition.id, open.entries) ?? []
      executions.push({
        executionId,
        expectedSeq: open.expectedSeq,
        entries: open.entries,
        ...(row === live.row ? {} : { row }),
        ...(open.idempotency.length === 0 ? {} : { idempotency: open.idempotency }),
        ...(approvals.opened.length === 0 ? {} : { approvalsOpened: approvals.opened }),
        ...(approvals.closed.length === 0 ? {} : { approvalsClosed: approvals.closed }),
        ...(deliveries.length === 0 ? {} : { deliveries }),
      })
    }
    const written = executions.filter((write) => write.entries.length > 0 || write.row !== undefined)
    // Statistics are a by-product: they are written when a run ends, not with each of its commits.
    const runEnds = [...rows.values()].some((row) => row?.finishedAt != null)
    const statistics = runEnds ? durations.take() : []
    let conflicts: readonly string[] = []
    try {
      await ports.values.flush(written.map(({ executionId }) => executionId))
      if (written.length > 0)
        conflicts = (await journal.commit({ executions: written, statistics })).conflicts
    } catch (error) {
      broken = error
      for (const open of batch.values()) for (const { submission } of open.answers) submission.fail(error)
      for (const submission of mailbox) submission.fail(error)
      mailbox = []
      ports.fatal(error)
      return
    }
    for (const executionId of conflicts) {
      // Somebody else wrote this execution: what was decided for it is void. Fold it again and decide again.
      const open = batch.get(executionId)!
      batch.delete(executionId)
      ports.evict(open.live)
      for (const { submission } of open.answers) {
        const { live: _stale, ...again } = submission
        mailbox.push(again)
      }
    }
    for (const { executionId, deliveries } of executions) {
      if (deliveries !== undefined && batch.has(executionId)) outbox?.committed(deliveries)
    }
    for (const [executionId, open] of batch) {
      const row = rows.get(executionId) ?? null
      if (row !== null) open.live.row = row
      ports.committed(open.live, { executionId, entries: open.entries, state: open.live.state, row })
      for (const { submission, entries } of open.answers)
        submission.settle({ ok: true, entries, live: open.live })
      lives.note(open.live)
    }
  }

  return {
    submit,
    /** Something may go on that no input of an execution tells: a limit was raised. */
    look,
    /** Resolves when no commit is under way: what is read then is durable. */
    async durable(): Promise<void> {
      while (committing !== null) await committing
    },
    /** Resolves when everything that was submitted is committed. */
    async drained(): Promise<void> {
      while (mailbox.length > 0 || scheduled || committing !== null)
        await (committing ?? new Promise<void>((resolve) => clock.defer(resolve)))
    },
  }
}

export type CommitLoop = ReturnType<typeof createCommitLoop>
