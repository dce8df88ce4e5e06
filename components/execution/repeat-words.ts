/** What each way to repeat does and keeps, in one sentence: every dialog and list of actions says it in these words. */
export const REPEATS = {
  rerun: (revision: number) =>
    `A rerun repeats these nodes in this same run, with revision ${revision}; all other results are kept, and what these nodes did before stays in the events.`,
  rerunElsewhere: (revision: number) =>
    `This rerun is a fork: a new run with revision ${revision} that keeps what completed and is the same, and asks approvals again that have to do with a change. This run stays as it is.`,
  again: 'A new run from the start. Only the inputs are taken from this run, which stays as it is.',
  fork: 'A fork is a new run that goes on from that event and keeps the results of what had ended by then. This run stays as it is.',
  rerunOfMany:
    'A rerun repeats the failed nodes and those after them in the same run; all other results are kept.',
  againOfMany: 'A new run for each, from the start, with the same inputs and the same revision.',
} as const
