import type Database from 'better-sqlite3'
import type { LogLine, LogStore } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { keptLine, LOG_LINES_MAX, LOG_READ_MAX } from '@/server/store/log-lines'
import type { Parameter } from './rows'
import type { WriteQueue } from './write-queue'

/** Lines that may wait for the disk; past that an append waits for its turn before it is taken. */
const PENDING_MAX = 20_000

type LogRecord = {
  readonly execution_id: string
  readonly node_id: string
  readonly n: number
  readonly generation: number
  readonly attempt: number
  readonly item: number | null
  readonly at: number
  readonly stream: LogLine['stream']
  readonly text: string
}

type PendingLine = Omit<LogLine, 'n'>

/**
 * Log lines on SQLite. An append resolves when its lines are written. What arrives while a group is being written makes the
 * next group, and a group starts in a later turn of the event loop, so that many attempts share one commit.
 */
export function createSqliteLogs(db: Database.Database, queue: WriteQueue, tenantId: string): LogStore {
  const last = db
    .prepare<[string, string, string], number>(
      `SELECT n FROM log_lines WHERE tenant_id = ? AND execution_id = ? AND node_id = ? ORDER BY n DESC LIMIT 1`,
    )
    .pluck()
  const insert = db.prepare(
    `INSERT INTO log_lines (tenant_id, execution_id, node_id, n, generation, attempt, item, at, stream, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = db.prepare<Parameter[], LogRecord>(
    `SELECT execution_id, node_id, n, generation, attempt, item, at, stream, text FROM log_lines
     WHERE tenant_id = ? AND execution_id = ? AND node_id = ? AND n > ?
       AND (? IS NULL OR attempt = ?) AND (? IS NULL OR item = ?)
     ORDER BY n LIMIT ?`,
  )
  let pending: PendingLine[] = []
  let flushing: Promise<void> | null = null

  const writeGroup = db.transaction((lines: readonly PendingLine[]) => {
    const counts = new Map<string, number>()
    for (const line of lines) {
      const node = JSON.stringify([line.executionId, line.nodeId])
      const n = (counts.get(node) ?? last.get(tenantId, line.executionId, line.nodeId) ?? 0) + 1
      counts.set(node, Math.min(n, LOG_LINES_MAX + 1))
      const kept = keptLine(line, n)
      if (kept === null) continue
      insert.run(
        tenantId,
        kept.executionId,
        kept.nodeId,
        kept.n,
        kept.generation,
        kept.attempt,
        kept.item,
        kept.at,
        kept.stream,
        kept.text,
      )
    }
  })

  async function flush(): Promise<void> {
    await new Promise<void>((turn) => setImmediate(turn))
    await queue.run(() => {
      const group = pending
      pending = []
      flushing = null
      writeGroup.immediate(group)
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
    async read(executionId, nodeId, range) {
      requireExecutionId(executionId)
      const limit = requireLimit(range.limit, LOG_READ_MAX)
      const attempt = range.attempt ?? null
      const item = range.item ?? null
      return select
        .all(tenantId, executionId, nodeId, range.after ?? 0, attempt, attempt, item, item, limit)
        .map(lineOf)
    },
  }
}

function lineOf(record: LogRecord): LogLine {
  return {
    executionId: record.execution_id,
    nodeId: record.node_id,
    generation: record.generation,
    attempt: record.attempt,
    item: record.item,
    n: record.n,
    at: record.at,
    stream: record.stream,
    text: record.text,
  }
}
