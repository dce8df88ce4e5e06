import type { ExecutionSummary } from '@/components/api'

export type BulkAction = 'cancel' | 'rerun'

export const runsText = (count: number): string => (count === 1 ? 'one run' : `${count} runs`)
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The actions for several runs: which runs each is for, and its texts. */
export const BULK_ACTIONS = {
  cancel: {
    fits: ({ finished_at }: ExecutionSummary) => finished_at === null,
    button: 'Cancel',
    title: (count: number) => `Cancel ${runsText(count)}?`,
    description:
      'Running tasks are stopped, and nothing new starts. Nodes marked “finally” still run. This cannot be undone.',
    busy: 'Cancelling',
    done: (count: number) => `${runsText(count)} ${count === 1 ? 'is' : 'are'} being cancelled`,
  },
  rerun: {
    fits: ({ status }: ExecutionSummary) => status === 'failed',
    button: 'Rerun failed of',
    title: (count: number) => `Rerun what failed in ${runsText(count)}?`,
    description: 'In each run, the failed nodes and the nodes after them run again.',
    busy: 'Resetting',
    done: (count: number) => `${runsText(count)} ${count === 1 ? 'goes' : 'go'} on`,
  },
} as const

export type Offer = { readonly action: BulkAction; readonly ids: readonly string[] }

/** The actions that fit at least one of the runs, each with the ids that it fits. */
export function bulkOffers(runs: readonly ExecutionSummary[]): readonly Offer[] {
  return (['cancel', 'rerun'] as const)
    .map((action) => ({
      action,
      ids: runs.filter(BULK_ACTIONS[action].fits).map(({ execution_id }) => execution_id),
    }))
    .filter(({ ids }) => ids.length > 0)
}
