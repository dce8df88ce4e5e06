import { profileOf, type RunProfile } from '@/core/engine/timeline/run-profile'
import { emptyState } from '@/core/engine/state'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'
import type { Clock } from '@/server/ports/clock'
import type { ExecutionRow, Journal } from '@/server/ports/journal'
import type { ProfiledRun, RunProfileStore } from '@/server/ports/run-profiles'
import type { CompiledPipelines } from './compiled-pipelines'
import { foldJournal } from './fold'

/** Entries that are folded before others get a turn. */
const AT_ONCE = 1_000
/** Entries that are folded for one question; a run that was begun is ended. */
const BUDGET = 20_000

export type RunProfilesPorts = {
  readonly journal: Pick<Journal, 'read'>
  readonly compiled: CompiledPipelines
  readonly profiles: RunProfileStore
  readonly clock: Pick<Clock, 'defer'>
  readonly warn: (what: string, error: unknown) => void
}

/** The latest runs; of those without a profile, `pending` get theirs when it is asked for again, and `unreadable` have none. */
export type ProfiledRuns = {
  readonly runs: readonly ProfiledRun[]
  readonly pending: number
  readonly unreadable: number
}

/**
 * Profiles of closed runs, made of their journals when somebody asks for them first. One question after the other, so that many who
 * look at the same pipeline fold each run once, and a server does not fold for two at a time.
 */
export function createRunProfiles({ journal, compiled, profiles, clock, warn }: RunProfilesPorts) {
  let last: Promise<unknown> = Promise.resolve()

  async function fold(row: ExecutionRow): Promise<{ seq: number; profile: RunProfile }> {
    const pipeline = await compiled.get(row.pipelineId, row.revision)
    if (pipeline === null)
      throw new Error(`invariant: revision ${row.revision} of '${row.pipelineId}' is gone`)
    const state = emptyState(row.executionId, pipeline)
    const timeline = newTimeline(pipeline)
    for (let before = -1; state.seq > before;) {
      before = state.seq
      await foldJournal(journal, state, { upTo: before + AT_ONCE, seen: (entry) => follow(timeline, entry) })
      // Work lists for the engine; nothing here acts on the run.
      state.dirty.clear()
      state.touched.clear()
      await new Promise<void>((turn) => clock.defer(turn))
    }
    return { seq: state.seq, profile: profileOf(state, timeline) }
  }

  async function latest(pipelineId: string, limit: number): Promise<ProfiledRuns> {
    let folded = 0
    let pending = 0
    let unreadable = 0
    const runs: ProfiledRun[] = []
    for (const run of await profiles.latest(pipelineId, limit)) {
      const { row } = run
      if (run.profile !== null) runs.push(run)
      else if (folded >= BUDGET) {
        pending += 1
        runs.push(run)
      } else {
        try {
          const { seq, profile } = await fold(row)
          folded += seq
          runs.push({ row, profile })
          await profiles.keep(row.executionId, seq, profile)
        } catch (error) {
          warn(`the journal of ${row.executionId} gave no profile`, error)
          unreadable += 1
          runs.push({ row, profile: null })
        }
      }
    }
    return { runs, pending, unreadable }
  }

  return function ask(pipelineId: string, limit: number): Promise<ProfiledRuns> {
    const answer = last.then(() => latest(pipelineId, limit))
    last = answer.catch(() => undefined)
    return answer
  }
}
