import type { Kysely, Selectable } from 'kysely'
import type { LogLine, LogStore } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { storedLine, LOG_LINES_MAX, LOG_READ_MAX } from '@/server/store/log-lines'
import { prepare, type Parameter } from './prepared'
import type { Tables } from './tables'

/** Lines that may wait for the disk; past that an append waits for its turn before it is taken. */
const PENDING_MAX = 20_000

type PendingLine = Omit<LogLine, 'n'>

/**
 * Log lines in a table. An append resolves when its lines are written. What arrives while a group is being written makes the
 * next group, and a group starts in a later turn of the event loop, so that many attempts share one commit.
 */
export function createSqlLogs(db: Kysely<Tables>, tenantId: string): LogStore {
  let pending: PendingLine[] = []
  let flushing: Promise<void> | null = null
  const writeGroup = groupWriter(db, tenantId)

  async function flush(): Promise<void> {
    await new Promise<void>((turn) => setImmediate(turn))
    await db.transaction().execute(async (tx) => {
      const group = pending
      pending = []
      flushing = null
      await writeGroup(tx, group)
    })
  }

  return {
    async append(lines) {
      for (const line of lines) requireExecutionId(line.executionId)
      while (pending.length >= PENDING_MAX && flushing !== null) await flushing
      for (const line of lines) pending.push(line)
      flushing ??= flush()
      await flushing
    },
    async read(executionId, nodeId, { attempt, item, after = 0, limit }) {
      requireExecutionId(executionId)
      let query = db
        .selectFrom('log_lines')
        .selectAll()
        .$narrowType<{ stream: LogLine['stream'] }>()
        .where('tenant_id', '=', tenantId)
        .where('execution_id', '=', executionId)
        .where('node_id', '=', nodeId)
        .where('n', '>', after)
      if (attempt !== undefined) query = query.where('attempt', '=', attempt)
      if (item !== undefined) query = query.where('item', '=', item)
      return (await query.orderBy('n').limit(requireLimit(limit, LOG_READ_MAX)).execute()).map(lineOf)
    },
  }
}

/** Numbers and inserts lines, each after the last of its node. */
function groupWriter(db: Kysely<Tables>, tenantId: string) {
  const last = prepare((executionId: Parameter<string>, nodeId: Parameter<string>) =>
    db
      .selectFrom('log_lines')
      .select('n')
      .where('tenant_id', '=', tenantId)
      .where('execution_id', '=', executionId)
      .where('node_id', '=', nodeId)
      .orderBy('n', 'desc')
      .limit(1),
  )
  return async (tx: Kysely<Tables>, lines: readonly PendingLine[]): Promise<void> => {
    const counts = new Map<string, number>()
    const rows: Selectable<Tables['log_lines']>[] = []
    for (const line of lines) {
      const node = JSON.stringify([line.executionId, line.nodeId])
      const before =
        counts.get(node) ?? (await tx.executeQuery(last(line.executionId, line.nodeId))).rows[0]?.n ?? 0
      counts.set(node, Math.min(before + 1, LOG_LINES_MAX + 1))
      const stored = storedLine(line, before + 1)
      if (stored !== null) rows.push(rowOf(tenantId, stored))
    }
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      await tx
        .insertInto('log_lines')
        .values(rows.slice(at, at + ROWS_AT_ONCE))
        .execute()
    }
  }
}

const ROWS_AT_ONCE = 100

function rowOf(tenantId: string, line: LogLine): Selectable<Tables['log_lines']> {
  return {
    tenant_id: tenantId,
    execution_id: line.executionId,
    node_id: line.nodeId,
    n: line.n,
    generation: line.generation,
    attempt: line.attempt,
    item: line.item,
    at: line.at,
    stream: line.stream,
    text: line.text,
  }
}

function lineOf(row: Selectable<Tables['log_lines']> & { readonly stream: LogLine['stream'] }): LogLine {
  return {
    executionId: row.execution_id,
    nodeId: row.node_id,
    generation: row.generation,
    attempt: row.attempt,
    item: row.item,
    n: row.n,
    at: row.at,
    stream: row.stream,
    text: row.text,
  }
}
