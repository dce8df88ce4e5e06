import type { ExecutionSummary } from '@/components/api'
import { REPEATS } from './repeat-words'

export type BulkAction = 'pause' | 'resume' | 'rerun' | 'again' | 'cancel'

export const runsText = (count: number): string => (count === 1 ? 'one run' : `${count} runs`)
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The actions for several runs: which runs each is for, and its texts. */
export const BULK_ACTIONS = {
  pause: {
    fits: ({ finished_at, status }: ExecutionSummary) => finished_at === null && status !== 'paused',
    asksReason: true,
    button: 'Pause',
    verb: 'Pause',
    title: (count: number) => `Pause ${runsText(count)}?`,
    description: 'Running tasks finish. Nothing new starts until somebody resumes the run.',
    busy: 'Pausing',
    done: (count: number) => `${runsText(count)} ${count === 1 ? 'is' : 'are'} paused`,
  },
  resume: {
    fits: ({ status }: ExecutionSummary) => status === 'paused',
    asksReason: false,
    button: 'Resume',
    verb: 'Resume',
    title: (count: number) => `Resume ${runsText(count)}?`,
    description: 'Each run goes on where it was paused.',
    busy: 'Resuming',
    done: (count: number) => `${runsText(count)} ${count === 1 ? 'goes' : 'go'} on`,
  },
  cancel: {
    fits: ({ finished_at }: ExecutionSummary) => finished_at === null,
    asksReason: true,
    button: 'Cancel',
    verb: 'Cancel',
    title: (count: number) => `Cancel ${runsText(count)}?`,
    description:
      'Running tasks are stopped, and nothing new starts. Nodes marked “finally” still run. This cannot be undone.',
    busy: 'Cancelling',
    done: (count: number) => `${runsText(count)} ${count === 1 ? 'is' : 'are'} being cancelled`,
  },
  rerun: {
    fits: ({ status }: ExecutionSummary) => status === 'failed',
    asksReason: false,
    button: 'Rerun failed of',
    verb: 'Rerun',
    title: (count: number) => `Rerun what failed in ${runsText(count)}?`,
    description: REPEATS.rerunOfMany,
    busy: 'Resetting',
    done: (count: number) => `${runsText(count)} ${count === 1 ? 'goes' : 'go'} on`,
  },
  again: {
    fits: ({ finished_at }: ExecutionSummary) => finished_at !== null,
    asksReason: false,
    button: 'Run again',
    verb: 'Start',
    title: (count: number) => `Run ${runsText(count)} again?`,
    description: REPEATS.againOfMany,
    busy: 'Starting',
    done: (count: number) => `${runsText(count)} ${count === 1 ? 'was' : 'were'} started again`,
  },
} as const

export type Offer = { readonly action: BulkAction; readonly ids: readonly string[] }

/** The actions that fit at least one of the runs, each with the ids that it fits. */
export function bulkOffers(runs: readonly ExecutionSummary[]): readonly Offer[] {
  return (['pause', 'resume', 'rerun', 'again', 'cancel'] as const)
    .map((action) => ({
      action,
      ids: runs.filter(BULK_ACTIONS[action].fits).map(({ execution_id }) => execution_id),
    }))
    .filter(({ ids }) => ids.length > 0)
}
