import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Batch } from '@/server/ports/journal'
import { applyMigrations } from '@/server/store/migrate'
import { openDatabase } from '@/server/store/sqlite/open'
import { EVENT_COLUMNS, EVENT_WIDTH, pushEvent, type Parameter } from '@/server/store/sql/rows'

/**
 * The limit of what the same disk takes: the event rows of these batches appended to an empty file of the same schema by
 * prepared statements, twenty rows at a time, with nothing else around. Rows are made before the clock starts.
 *
 * @returns milliseconds per transaction, in order
 */
export async function rawAppend(transactions: readonly (readonly Batch[])[]): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-raw-'))
  try {
    const file = join(folder, 'raw.db')
    await applyMigrations(file, 'prisma/migrations')
    const db = openDatabase(file)
    const tuple = `(${Array(EVENT_WIDTH).fill('?').join(', ')})`
    const one = db.prepare(`INSERT INTO events (${EVENT_COLUMNS}) VALUES ${tuple}`)
    const many = db.prepare(
      `INSERT INTO events (${EVENT_COLUMNS}) VALUES ${Array(20).fill(tuple).join(', ')}`,
    )
    const prepared = transactions.map((batches) => rowsOf(batches))
    const times: number[] = []
    for (const rows of prepared) {
      const started = performance.now()
      db.exec('BEGIN')
      let at = 0
      for (; at + 20 <= rows.length; at += 20) many.run(rows.slice(at, at + 20).flat())
      for (; at < rows.length; at++) one.run(rows[at]!)
      db.exec('COMMIT')
      times.push(performance.now() - started)
    }
    db.close()
    return times
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function rowsOf(batches: readonly Batch[]): Parameter[][] {
  return batches.flatMap((batch) =>
    batch.executions.flatMap((write) =>
      write.entries.map((entry) => {
        const row: Parameter[] = []
        pushEvent(row, 'default', entry.event)
        return row
      }),
    ),
  )
}
