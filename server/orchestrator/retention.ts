import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { NotRemoved, Retention } from '@/server/ports/retention'

/** Longest time between two looks: what closes later than the last look expires after the next one. */
const LOOK_AGAIN_MS = 24 * 60 * 60_000
/** Executions, or contents, that are asked for at once. */
const PAGE = 100

export type RetentionPorts = {
  readonly retention: Retention
  readonly artifacts: Pick<ArtifactStore, 'discard'>
  readonly clock: Clock
  /** Is somebody still at work for the execution, although it is closed? */
  readonly isWorking: (executionId: string) => boolean
  /** Was the execution set apart? Then nobody can end it, and it may go as it is. */
  readonly cannotEnd: (executionId: string) => boolean
  /** The execution is gone: it leaves memory. */
  readonly forget: (executionId: string) => Promise<void>
  readonly warn: (what: string, error: unknown) => void
}

/**
 * Removes executions some time after they were closed, whole and with their children, and when somebody asks [N-17, E-8].
 * One timer for the first that expires. Removal goes in steps with a turn of the event loop between them, so that commits
 * pass; what a crash left is taken up at the start.
 *
 * @param retentionMs milliseconds that an execution is retained after it was closed; null: until somebody removes it
 */
export function createRetention(ports: RetentionPorts, retentionMs: number | null) {
  const { retention, clock } = ports
  let working = Promise.resolve()
  let stopped = false
  let disarm: (() => void) | null = null

  async function remove(executionId: string): Promise<'removed' | NotRemoved> {
    if (ports.isWorking(executionId)) return 'open'
    const answer = await retention.begin(executionId, { evenOpen: ports.cannotEnd(executionId) })
    if (answer !== 'begun') return answer
    await ports.forget(executionId)
    return 'removed'
  }

  async function removeRows(): Promise<void> {
    for (let taken = await retention.step(); taken !== null && !stopped; taken = await retention.step()) {
      for (const child of taken) await ports.forget(child)
      await new Promise<void>((turn) => clock.defer(turn))
    }
  }

  async function discardContents(): Promise<void> {
    for (let digests = await retention.unusedContents(PAGE); digests.length > 0 && !stopped;) {
      for (const digest of digests) {
        await ports.artifacts.discard(digest)
        await retention.settleContent(digest)
      }
      digests = await retention.unusedContents(PAGE)
    }
  }

  async function work(): Promise<void> {
    await removeRows()
    await discardContents()
    while (!stopped && (await retention.compact())) await new Promise<void>((turn) => clock.defer(turn))
  }

  async function removeExpired(kept: number): Promise<void> {
    for (let begun = -1; begun !== 0 && !stopped;) {
      begun = 0
      for (const executionId of await retention.expired(clock.now() - kept, PAGE)) {
        if ((await remove(executionId)) === 'removed') begun += 1
      }
      await work()
    }
    const now = clock.now()
    const next = await retention.nextClosedAt(now - kept)
    const at = Math.min(next === null ? Infinity : next + kept, now + LOOK_AGAIN_MS)
    if (!stopped) disarm = clock.at(at, () => queue(() => removeExpired(kept)))
  }

  /** One after the other: there is one list of what was begun. */
  function queue(job: () => Promise<void>): void {
    working = working.then(job).catch((error: unknown) => {
      if (!stopped) ports.warn('removing executions failed; it goes on with the next removal', error)
    })
  }

  return {
    /** Ends what an earlier process began, then removes what has expired, from now on. */
    start(): void {
      queue(work)
      if (retentionMs !== null) queue(() => removeExpired(retentionMs))
    },

    /** Nobody finds the execution any more when it resolves; its rows and files follow. */
    async remove(executionId: string): Promise<'removed' | NotRemoved> {
      const answer = await remove(executionId)
      if (answer === 'removed') queue(work)
      return answer
    },

    /** The execution was refused after files had been given to it. */
    async abandon(executionId: string): Promise<void> {
      await retention.abandon(executionId)
      queue(work)
    },

    /** Resolves when what is under way has ended. */
    async stop(): Promise<void> {
      stopped = true
      disarm?.()
      await working
    },
  }
}

export type Removals = ReturnType<typeof createRetention>
