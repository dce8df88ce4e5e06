/** What a list is filtered by: a status of a run, or all that have not ended. */
export const STATUSES = [
  'open',
  'pending',
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const

const OPEN_STATUSES = ['pending', 'running', 'waiting', 'paused', 'verifying', 'rolling_back'] as const

export const PERIODS = [
  { value: '', text: 'Any time', ms: 0 },
  { value: '1h', text: 'Last hour', ms: 3_600_000 },
  { value: '1d', text: 'Last 24 hours', ms: 86_400_000 },
  { value: '7d', text: 'Last 7 days', ms: 7 * 86_400_000 },
] as const

const PAGE_SIZE = 50
const MINUTE_MS = 60_000

export type ExecutionFilter = {
  /** undefined: any. */
  readonly status: (typeof STATUSES)[number] | undefined
  /** The id of a pipeline; '': all. */
  readonly pipeline: string
  readonly period: (typeof PERIODS)[number]
}

type Parameters = { readonly get: (name: string) => string | null }

/** The filter that an address asks for; what it does not know filters nothing. `pipeline` is given where all runs are of one. */
export function readFilter(params: Parameters, pipeline?: string): ExecutionFilter {
  return {
    status: STATUSES.find((each) => each === params.get('status')),
    pipeline: pipeline ?? params.get('pipeline') ?? '',
    period: PERIODS.find((each) => each.value === params.get('since')) ?? PERIODS[0],
  }
}

/**
 * What is asked of the server. `now`: milliseconds since the epoch. A period begins at a full minute, so that the same filter is the same
 * query for as long.
 */
export function requestOf({ status, pipeline, period }: ExecutionFilter, now: number) {
  const from = new Date(Math.floor((now - period.ms) / MINUTE_MS) * MINUTE_MS)
  return {
    limit: PAGE_SIZE,
    ...(status === undefined ? {} : { status: status === 'open' ? [...OPEN_STATUSES] : [status] }),
    ...(pipeline === '' ? {} : { pipeline }),
    ...(period.ms === 0 ? {} : { from: from.toISOString() }),
  }
}

/** The same ids with, or without, some more. */
export function withIds(
  ids: ReadonlySet<string>,
  some: readonly string[],
  isChosen: boolean,
): ReadonlySet<string> {
  const next = new Set(ids)
  for (const id of some)
    if (isChosen) next.add(id)
    else next.delete(id)
  return next
}
