import type { Clock } from '@/server/ports/clock'
import type { EngineObserver } from '@/server/ports/observer'
import type { AttemptRecords } from '@/server/ports/registry'
import type { Outcome, Submission } from './submission'
import type { SubmittedInput } from './contract'

export type ReportsPorts = {
  readonly submit: (submission: Submission) => void
  readonly attempts: AttemptRecords
  readonly clock: Clock
  readonly observer?: EngineObserver | undefined
  /** Is nothing taken any more? */
  readonly stopped: () => boolean
  readonly warn: (what: string, error: unknown) => void
}

/** What a worker reports as the end of an attempt. */
const ENDS: ReadonlySet<SubmittedInput['type']> = new Set([
  'complete_attempt',
  'fail_attempt',
  'lose_attempt',
])

/** How inputs come to the commit loop: from a caller that waits for the answer, or as a report of the engine itself. */
export function createReports({ submit, attempts, clock, observer, stopped, warn }: ReportsPorts) {
  const pass = (submission: Pick<Submission, 'executionId' | 'input' | 'remember'>): Promise<Outcome> =>
    new Promise((settle, fail) => {
      const arrived = observer && { arrivedAt: observer.now() }
      submit({ ...submission, ...arrived, settle, fail })
    })

  return {
    /** Resolves when it is durable, or refused. */
    pass,

    /** A result that is refused is recorded with its attempt. False: the input was not taken. Never rejects. */
    async report(executionId: string, input: SubmittedInput): Promise<boolean> {
      if (stopped()) return false
      try {
        const outcome = await pass({ executionId, input })
        if (outcome.ok) return true
        if (!('key' in input) || !ENDS.has(input.type)) return false
        // The execution was removed; there is nothing to record.
        if (outcome.rejection.code === 'not_found') return false
        const { node: nodeId, generation, attempt, item, token } = input.key
        const reason = `${input.type}: ${outcome.rejection.message}`
        const at = clock.now()
        await attempts.refused({ executionId, nodeId, generation, attempt, item, token, reason, at })
      } catch (error) {
        warn(`${input.type} of ${executionId} was not taken`, error)
      }
      return false
    },
  }
}
