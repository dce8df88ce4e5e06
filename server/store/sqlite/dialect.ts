import type Database from 'better-sqlite3'
import { Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import type { SqlDialect } from '@/server/store/sql/dialect'
import type { Tables } from '@/server/store/sql/tables'
import { createWriteQueue } from './write-queue'
import type { WriteQueue } from './write-queue'

/** The two ways to one connection, and the queue in which all of its writers wait. */
export type SqliteConnection = {
  readonly raw: Database.Database
  readonly kysely: Kysely<Tables>
  readonly queue: WriteQueue
}

/** Puts the queue and Kysely in front of an open connection. */
export function connectSqlite(raw: Database.Database): SqliteConnection {
  const queue = createWriteQueue()
  return { raw, queue, kysely: new Kysely<Tables>({ dialect: createSqliteDialect(raw, queue) }) }
}

/** What only SQLite understands. The stores of `server/store/sql` say nothing of it themselves. */
export const sqliteWords: SqlDialect = {
  // LIKE would read % and _ in the text, and takes capitals for small letters.
  contains: (column, text) => sql`instr(${sql.ref(column)}, ${text}) > 0`,
  matchesPattern: (column, pattern) => {
    const type = sql.ref(column)
    // `*` of GLOB may run over dots; with as many dots in the type as in the pattern none is left for it to run over.
    const dots = sql`length(${type}) - length(replace(${type}, '.', ''))`
    return sql`(${type} GLOB ${globOf(pattern)} AND ${dots} = ${pattern.split('.').length - 1})`
  },
  // SQLite looks for no index where the column stands in an expression.
  unindexed: (column) => sql`+${sql.ref(column)}`,
}

/** `*` as a whole segment is the wildcard (at least one character); everything else, also a `*` within a segment, is literal. */
function globOf(pattern: string): string {
  return pattern
    .split('.')
    .map((segment) => (segment === '*' ? '?*' : segment.replace(/[[*?]/g, '[$&]')))
    .join('.')
}

/** Statements that are prepared at a time. The stores have about a hundred; lists of event types and filters make more. */
const STATEMENTS_MAX = 500

/**
 * Kysely on the one connection that also writes the journal. Whoever writes waits in the write queue, without knowing of it:
 * a statement that changes something is a job of the queue, a transaction is one job from its begin to its end. A read runs at
 * once, but never sees what an open transaction has not committed: it waits for its end.
 *
 * A transaction must await nothing but its own queries. All of them answer in the same turn of the event loop, so that it is over
 * before the next input comes; one that waited for something else would hold up every writer and reader.
 */
function createSqliteDialect(db: Database.Database, queue: WriteQueue): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(db, queue),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

type OpenTransaction = { readonly owner: DatabaseConnection; readonly ended: Promise<void>; end(): void }

function createDriver(db: Database.Database, queue: WriteQueue): Driver {
  const prepared = createStatementCache(db)
  let open: OpenTransaction | null = null

  function connect(): DatabaseConnection {
    const connection: DatabaseConnection = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const statement = prepared(query.sql)
        if (open?.owner === connection) return run<R>(statement, query.parameters)
        if (!statement.readonly) return queue.run(() => run<R>(statement, query.parameters))
        while (open !== null) await open.ended
        return run<R>(statement, query.parameters)
      },
      streamQuery() {
        throw new Error('This store does not stream rows: read them in pages.')
      },
    }
    return connection
  }

  function begin(owner: DatabaseConnection): Promise<void> {
    return new Promise((begun, failed) => {
      const job = () => {
        db.exec('BEGIN IMMEDIATE')
        let end = () => {}
        const ended = new Promise<void>((resolve) => (end = resolve))
        open = { owner, ended, end }
        begun()
        return ended
      }
      queue.run(job).catch(failed)
    })
  }

  function end(statement: 'COMMIT' | 'ROLLBACK'): void {
    // A commit that fails leaves the transaction to the rollback that follows; SQLite may have rolled back by itself.
    if (statement === 'COMMIT' || db.inTransaction) db.exec(statement)
    open?.end()
    open = null
  }

  return {
    async init() {},
    acquireConnection: async () => connect(),
    beginTransaction: begin,
    commitTransaction: async () => end('COMMIT'),
    rollbackTransaction: async () => end('ROLLBACK'),
    async releaseConnection() {},
    async destroy() {},
  }
}

function run<R>(statement: Database.Statement, parameters: readonly unknown[]): QueryResult<R> {
  const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value))
  if (statement.reader) return { rows: statement.all(values) as R[] }
  return { rows: [], numAffectedRows: BigInt(statement.run(values).changes) }
}

function createStatementCache(db: Database.Database): (text: string) => Database.Statement {
  const statements = new Map<string, Database.Statement>()
  return (text) => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const [oldest] = statements.keys()
    if (oldest !== undefined && statements.size >= STATEMENTS_MAX) statements.delete(oldest)
    const statement = db.prepare(text)
    statements.set(text, statement)
    return statement
  }
}
