import { setImmediate as otherWork } from 'node:timers/promises'
import { expressionBuilder, sql } from 'kysely'
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { encodeCursor } from '@/core/paging/cursor'
import type { ExecutionRow } from '@/server/ports/journal'
import type { Page } from '@/server/ports/page'
import type { ExecutionFilter } from '@/server/ports/registry'
import { pageOf, readCursor } from '@/server/store/cursor'
import { wordsOf } from '@/server/store/search-text'
import type { SqlDialect } from './dialect'
import { executionOf } from './rows'
import type { Tables } from './tables'

/**
 * Rows of a range that are looked at where not all of them fit the filter: `atOnce` in one query, so that nobody else waits longer for it,
 * and `ofPage` for one page.
 */
export type Slices = { readonly atOnce: number; readonly ofPage: number }

const SLICES: Slices = { atOnce: 2_000, ofPage: 50_000 }

type Scope = ExpressionBuilder<{ e: Tables['executions']; l: Tables['execution_labels'] }, 'e' | 'l'>
type Condition = Expression<SqlBool>
/** Where a row stands in the list. */
type Place = { readonly createdAt: number; readonly executionId: string }

/** A range of one index, in the order of the list, and what its rows have to fulfil besides. */
type Range = {
  readonly label: ExecutionFilter['label']
  readonly within: readonly Condition[]
  readonly also: readonly Condition[]
}

type Source = { readonly db: Kysely<Tables>; readonly dialect: SqlDialect; readonly tenantId: string }

/** These are of few rows: what has not ended. */
const OPEN: ReadonlySet<string> = new Set([
  'pending',
  'running',
  'paused',
  'waiting',
  'verifying',
  'rolling_back',
])

const it: Scope = expressionBuilder()

/**
 * A page of runs. One range of an index is read for each status, or for each way in which a run can be of who started it, and merged:
 * `IN` would read and sort all rows of those. A range whose rows do not all fit is read in slices, and not for ever.
 */
export async function listExecutions(
  source: Source,
  filter: ExecutionFilter,
  slices = SLICES,
): Promise<Page<ExecutionRow>> {
  const most = filter.limit + 1
  const after = filter.cursor === undefined ? null : placeOf(filter.cursor)
  const found = await Promise.all(
    rangesOf(source, filter).map((range) => readRange(source, range, { after, most, slices })),
  )
  // Of the other ranges nothing is shown that is older than the place up to which each was read.
  const end = found.reduce<Place | null>((newest, { end: own }) => newer(newest, own), null)
  const rows = new Map(found.flatMap(({ rows }) => rows).map((row) => [row.executionId, row]))
  const listed = [...rows.values()]
    .filter((row) => end === null || newestFirst(row, end) <= 0)
    .sort(newestFirst)
  const page = pageOf(listed, filter.limit, keyOf)
  return end === null || page.nextCursor !== null ? page : { ...page, nextCursor: encodeCursor(keyOf(end)) }
}

const keyOf = ({ createdAt, executionId }: Place) => [createdAt, executionId]

function placeOf(cursor: string): Place {
  const [createdAt, executionId] = readCursor(cursor, ['number', 'string'])
  return { createdAt: Number(createdAt), executionId: String(executionId) }
}

function newestFirst(a: Place, b: Place): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt
  return a.executionId === b.executionId ? 0 : a.executionId < b.executionId ? 1 : -1
}

const newer = (a: Place | null, b: Place | null) =>
  a === null || b === null ? (a ?? b) : newestFirst(a, b) <= 0 ? a : b

function rangesOf({ dialect }: Source, filter: ExecutionFilter): readonly Range[] {
  const { label, pipelineId, revision, requestedBy, from, to } = filter
  const statuses = [...new Set(filter.statuses ?? [])]
  const at = label === undefined ? 'e.created_at' : 'l.created_at'
  const bounds: Condition[] = []
  if (from !== undefined) bounds.push(it(at, '>=', from))
  if (to !== undefined) bounds.push(it(at, '<=', to))

  const by =
    requestedBy === undefined
      ? []
      : [it('e.requested_by', '=', requestedBy), it('e.requested_by_id', '=', requestedBy)]
  const ofStatus = statuses.map((status) => it('e.status', '=', status))
  const ofPipeline: Condition[] = []
  if (pipelineId !== undefined) ofPipeline.push(it('e.pipeline_id', '=', pipelineId))
  if (revision !== undefined) ofPipeline.push(it('e.revision', '=', revision))
  const rest = restOf(dialect, filter)
  const hasStatus = ofStatus.length === 0 ? [] : [it.or(ofStatus)]
  const hasRequester = by.length === 0 ? [] : [it.or(by)]

  if (label !== undefined)
    return [{ label, within: bounds, also: [...ofPipeline, ...hasStatus, ...hasRequester, ...rest] }]
  const range = (within: readonly Condition[], also: readonly Condition[]): Range => ({
    label: undefined,
    within: [...within, ...bounds],
    also: [...also, ...rest],
  })
  if (statuses.length > 0 && statuses.every((status) => OPEN.has(status)))
    return ofStatus.map((one) => range([one], [...ofPipeline, ...hasRequester]))
  if (by.length > 0) return by.map((one) => range([one], [...ofPipeline, ...hasStatus]))
  if (ofPipeline.length > 0) return [range(ofPipeline, hasStatus)]
  return ofStatus.length > 0 ? ofStatus.map((one) => range([one], [])) : [range([], [])]
}

/** What no index knows. */
function restOf(dialect: SqlDialect, filter: ExecutionFilter): Condition[] {
  const { text, took, handledFailures, mocked } = filter
  const conditions = wordsOf(text ?? '').map((word) => dialect.contains('e.search_text', word))
  if (handledFailures !== undefined) conditions.push(it('e.handled_failures', handledFailures ? '>' : '=', 0))
  if (mocked !== undefined) conditions.push(it('e.mocked', '=', mocked))
  if (took === undefined) return conditions
  const { least, most, now } = took
  const ms = sql<number>`coalesce(${it.ref('e.finished_at')}, ${sql.lit(now)}) - coalesce(${it.ref('e.started_at')}, ${it.ref('e.created_at')})`
  if (least !== undefined) conditions.push(it(ms, '>=', least))
  if (most !== undefined) conditions.push(it(ms, '<=', most))
  return conditions
}

/** The first rows of a range that fit. `end`: the place up to which it was read, where that was not enough; null: the rest does not matter. */
async function readRange(
  source: Source,
  range: Range,
  { after, most, slices }: { after: Place | null; most: number; slices: Slices },
): Promise<{ readonly rows: readonly ExecutionRow[]; readonly end: Place | null }> {
  const rows: ExecutionRow[] = []
  let from = after
  for (let looked = 0; looked < slices.ofPage; looked += slices.atOnce) {
    if (looked > 0) await otherWork()
    const to: Place | null =
      range.also.length === 0 ? null : await endOfSlice(source, range, { from, size: slices.atOnce })
    rows.push(...(await readSlice(source, range, { from, to, most: most - rows.length })))
    if (to === null || rows.length >= most) return { rows, end: null }
    from = to
  }
  return { rows, end: from }
}

/** The place of the last row of the slice that begins after `from`; null: the range ends in it. */
async function endOfSlice(
  source: Source,
  range: Range,
  { from, size }: { from: Place | null; size: number },
): Promise<Place | null> {
  const { query, at, id } = rowsOf(source, range, { from, to: null })
  const [row] = await query
    .select([sql<number>`${at}`.as('created_at'), sql<string>`${id}`.as('execution_id')])
    .limit(1)
    .offset(size - 1)
    .execute()
  return row === undefined ? null : { createdAt: row.created_at, executionId: row.execution_id }
}

async function readSlice(
  source: Source,
  range: Range,
  { most, ...slice }: { from: Place | null; to: Place | null; most: number },
): Promise<ExecutionRow[]> {
  const { query } = rowsOf(source, range, slice)
  const rows = await query.selectAll('e').where(it.and(range.also)).limit(most).execute()
  return rows.map(executionOf)
}

/** The rows of a range after `from` and up to `to`. By label the list walks the range of that label, which is in the same order. */
function rowsOf(
  { db, tenantId }: Source,
  { label, within }: Range,
  { from, to }: { from: Place | null; to: Place | null },
) {
  const at = sql.ref<number>(label === undefined ? 'e.created_at' : 'l.created_at')
  const id = sql.ref<string>(label === undefined ? 'e.execution_id' : 'l.execution_id')
  const conditions: Condition[] = [it('e.tenant_id', '=', tenantId), ...within]
  if (from !== null) conditions.push(sql`(${at}, ${id}) < (${from.createdAt}, ${from.executionId})`)
  if (to !== null) conditions.push(sql`(${at}, ${id}) >= (${to.createdAt}, ${to.executionId})`)
  const query =
    label === undefined
      ? db.selectFrom('executions as e')
      : db
          .selectFrom('execution_labels as l')
          .crossJoin('executions as e')
          .whereRef('e.execution_id', '=', 'l.execution_id')
          .where('l.tenant_id', '=', tenantId)
          .where('l.key', '=', label.key)
          .where('l.value', '=', label.value)
  return { query: query.where(it.and(conditions)).orderBy(at, 'desc').orderBy(id, 'desc'), at, id }
}
