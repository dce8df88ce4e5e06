import { PGlite, types } from '@electric-sql/pglite'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import type { DatabaseConnection, Dialect, LogEvent } from 'kysely'
import Database from 'better-sqlite3'
import type { SqlDialect } from '@/server/store/sql/dialect'
import type { Tables } from '@/server/store/sql/tables'

/** What PostgreSQL has for the words of `SqlDialect`. */
export const postgresWords: SqlDialect = {
  contains: (column, text) => sql`position(${text} in ${sql.ref(column)}) > 0`,
  matchesPattern(column, pattern) {
    const segments = pattern.split('.')
    const fitting = segments.map((it) => (it === '*' ? '[^.]+' : it.replace(/[^a-z0-9_]/gi, '\\$&')))
    return sql`${sql.ref(column)} ~ ${`^${fitting.join('\\.')}$`}`
  },
  unindexed: (column) => sql.ref(column),
}

/**
 * PostgreSQL itself, compiled to WebAssembly, in memory, with the tables of a migrated SQLite file.
 * @param log hears of every statement
 */
export async function openPostgres(
  sqliteFile: string,
  log: (event: LogEvent) => void,
): Promise<Kysely<Tables>> {
  const server = await PGlite.create({ parsers: { [types.INT8]: Number, [types.NUMERIC]: Number } })
  await server.exec(tablesOf(sqliteFile).join(';\n'))
  return new Kysely<Tables>({ dialect: dialectOf(server), log })
}

function dialectOf(server: PGlite): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: { readonly sql: string; readonly parameters: readonly unknown[] }) {
      const { rows, affectedRows = 0 } = await server.query<R>(query.sql, [...query.parameters])
      return { rows, numAffectedRows: BigInt(affectedRows) }
    },
    streamQuery() {
      throw new Error('The stores do not stream rows.')
    },
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      async init() {},
      acquireConnection: async () => connection,
      beginTransaction: async () => void (await server.exec('BEGIN')),
      commitTransaction: async () => void (await server.exec('COMMIT')),
      rollbackTransaction: async () => void (await server.exec('ROLLBACK')),
      async releaseConnection() {},
      destroy: () => server.close(),
    }),
  }
}

/** The statements that made the tables, in the types of PostgreSQL. */
function tablesOf(file: string): string[] {
  const db = new Database(file, { readonly: true })
  const statements = db
    .prepare<[], string>(
      `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name != '_prisma_migrations'
       ORDER BY name = 'user' DESC`,
    )
    .pluck()
    .all()
  db.close()
  return statements.map((statement) =>
    statement
      .replace(/ WITHOUT ROWID$/, '')
      .replace(/INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT/, 'BIGSERIAL PRIMARY KEY')
      .replaceAll(' DATETIME', ' TEXT'),
  )
}
