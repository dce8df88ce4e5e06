import { formatDuration, parseDuration } from '@/core/pipeline/duration'

/** What a list is filtered by: a status of a run, or all that have not ended. */
export const STATUSES = [
  'open',
  'pending',
  'running',
  'waiting',
  'paused',
  'completed',
  'handled',
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
const YEAR_MS = 366 * 86_400_000
const LONGEST_TEXT = 200

export type ExecutionFilter = {
  /** undefined: any. */
  readonly status: (typeof STATUSES)[number] | undefined
  /** The id of a pipeline; '': all. */
  readonly pipeline: string
  readonly period: (typeof PERIODS)[number]
  /** The filters that people type, each as it stands in the address; '': none. */
  readonly typed: Readonly<Record<TypedFilter, string>>
}

type Parameters = { readonly get: (name: string) => string | null }

const isDuration = (text: string) => (parseDuration(text) ?? Infinity) <= YEAR_MS

/** The filters that people type, by their names in the address: which texts they take. */
export const TYPED = {
  q: (text: string) => text.length <= LONGEST_TEXT,
  by: (text: string) => text.length <= LONGEST_TEXT,
  label: (text: string) => text.length <= LONGEST_TEXT && /^[^:]+:/.test(text),
  revision: (text: string) => /^[1-9]\d{0,8}$/.test(text),
  over: isDuration,
  under: isDuration,
} as const

export type TypedFilter = keyof typeof TYPED
const typedNames = Object.keys(TYPED) as TypedFilter[]

/** The filter that an address asks for; what it does not know filters nothing. `pipeline` is given where all runs are of one. */
export function readFilter(params: Parameters, pipeline?: string): ExecutionFilter {
  const ofPipeline = pipeline ?? params.get('pipeline') ?? ''
  const typedOf = (name: TypedFilter) => {
    const text = (params.get(name) ?? '').trim()
    // A revision is a number of one pipeline.
    return text === '' || !TYPED[name](text) || (name === 'revision' && ofPipeline === '') ? '' : text
  }
  return {
    status: STATUSES.find((each) => each === params.get('status')),
    pipeline: ofPipeline,
    period: PERIODS.find((each) => each.value === params.get('since')) ?? PERIODS[0],
    typed: Object.fromEntries(typedNames.map((name) => [name, typedOf(name)])) as ExecutionFilter['typed'],
  }
}

/** Whether some runs are left out. `fixed`: the pipeline is that of the page. */
export function isFiltered({ status, pipeline, period, typed }: ExecutionFilter, fixed: boolean): boolean {
  return (
    status !== undefined ||
    (!fixed && pipeline !== '') ||
    period.ms !== 0 ||
    typedNames.some((name) => typed[name] !== '')
  )
}

/**
 * What is asked of the server. `now`: milliseconds since the epoch. A period begins at a full minute, so that the same filter is the same
 * query for as long.
 */
export function requestOf({ status, pipeline, period, typed }: ExecutionFilter, now: number) {
  const from = new Date(Math.floor((now - period.ms) / MINUTE_MS) * MINUTE_MS)
  return {
    limit: PAGE_SIZE,
    ...(status === undefined ? {} : statusOf(status)),
    ...(pipeline === '' ? {} : { pipeline }),
    ...(period.ms === 0 ? {} : { from: from.toISOString() }),
    ...(typed.q === '' ? {} : { text: typed.q }),
    ...(typed.by === '' ? {} : { requested_by: typed.by }),
    ...(typed.label === '' ? {} : { label: typed.label }),
    ...(typed.revision === '' ? {} : { revision: Number(typed.revision) }),
    ...(typed.over === '' ? {} : { min_duration: durationText(typed.over) }),
    ...(typed.under === '' ? {} : { max_duration: durationText(typed.under) }),
  }
}

function statusOf(status: NonNullable<ExecutionFilter['status']>) {
  if (status === 'open') return { status: [...OPEN_STATUSES] }
  if (status === 'handled') return { status: ['completed' as const], handled_failures: true }
  return status === 'completed' ? { status: [status], handled_failures: false } : { status: [status] }
}

const durationText = (text: string) => formatDuration(parseDuration(text) ?? 0)

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
