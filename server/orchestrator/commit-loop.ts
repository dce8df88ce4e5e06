import type { Clock } from '@/server/ports/clock'
import { createBatches, type Batch, type BatchPorts } from './batch'
import { createCommit, type CommitPorts } from './commit'
import type { Live } from './live-execution'
import { notFound, refusedApart, type Submission } from './submission'

export type CommitLoopPorts = Omit<BatchPorts, 'fetch'> &
  CommitPorts & {
    readonly clock: Clock
    /** Brings an execution into memory; null when there is none. */
    readonly load: (executionId: string) => Promise<Live | null>
    /** The journal cannot be written any more: nothing may be acknowledged, the process has to end. */
    readonly fatal: (error: unknown) => void
  }

/**
 * The commit loop. Whatever has arrived is decided and committed at once, in one transaction; what arrives meanwhile
 * forms the next batch: a group commit that clocks itself. Inputs of one batch decide against each other's speculative
 * state; acknowledgements, effects and streams wait for the commit.
 */
export function createCommitLoop(ports: CommitLoopPorts) {
  const { clock } = ports
  const decideAll = createBatches({ ...ports, fetch })
  const commit = createCommit(ports)
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
      // What arrived while a batch was decided asked for a turn of its own: it comes when that batch is committed.
      if (committing !== null) return
      committing = flush().finally(() => {
        committing = null
        schedule()
      })
    })
  }

  async function flush(): Promise<void> {
    const { batch, rest } = decideAll(mailbox, clock.now())
    mailbox = rest
    const { opens, refused } = batch
    for (const answer of refused) answer()
    if (opens.size === 0) return
    try {
      mailbox.push(...(await commit(opens)))
    } catch (error) {
      breakDown(opens, error)
    }
  }

  /** Nothing is acknowledged any more. */
  function breakDown(opens: Batch['opens'], error: unknown): void {
    broken = error
    for (const open of opens.values()) for (const { submission } of open.answers) submission.fail(error)
    for (const submission of mailbox) submission.fail(error)
    mailbox = []
    ports.fatal(error)
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
        const why = ports.apart(executionId)
        if (why === null) submission.fail(error)
        else submission.settle(refusedApart(why))
      },
    )
  }

  return {
    submit,
    /** Something may go on without an input of the execution: a limit was raised. */
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
