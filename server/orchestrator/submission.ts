import type { Entry } from '@/core/engine/event'
import type { EngineInput, Rejection } from '@/core/engine/input'
import type { IdempotencyRecord } from '@/server/ports/journal'
import type { Live } from './live-execution'

/** What an input came to, once it is durable. */
export type Outcome = { readonly ok: true; readonly entries: readonly Entry[]; readonly live: Live } | Refused

export type Refused = {
  readonly ok: false
  readonly rejection: Rejection | { readonly code: 'not_found' | 'set_apart'; readonly message: string }
}

export type Submission = {
  readonly executionId: string
  readonly input: EngineInput
  /** When it arrived, by the clock of the observer; absent: nobody observes. */
  readonly arrivedAt?: number
  /** The execution, when it was fetched for this input: it may have left memory again, and then comes back as it is. */
  readonly live?: Live
  /** Made of the entries that answer the input, and written with them. */
  readonly remember?: (live: Live, entries: readonly Entry[]) => IdempotencyRecord
  readonly settle: (outcome: Outcome) => void
  readonly fail: (error: unknown) => void
}

/** What one batch writes for one execution, while the batch is being decided. */
export type Open = {
  readonly live: Live
  readonly expectedSeq: number
  readonly entries: Entry[]
  readonly idempotency: IdempotencyRecord[]
  readonly answers: { readonly submission: Submission; readonly entries: readonly Entry[] }[]
}

export function notFound(executionId: string): Refused {
  return { ok: false, rejection: { code: 'not_found', message: `there is no execution '${executionId}'` } }
}

/** @param why why nothing is done for the execution; null: it has been repaired meanwhile */
export function refusedApart(why: string | null): Refused {
  return { ok: false, rejection: { code: 'set_apart', message: why ?? '' } }
}
