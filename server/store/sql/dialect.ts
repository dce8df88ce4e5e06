import type { Expression, SqlBool } from 'kysely'

/** What each database says in words of its own. Everything else in this folder is SQL that SQLite and PostgreSQL share. */
export type SqlDialect = {
  /** Does `text` stand in the column, character for character? */
  contains(column: string, text: string): Expression<SqlBool>
  /** Does the column fit a pattern in which `*` stands for exactly one segment? Case counts. */
  matchesPattern(column: string, pattern: string): Expression<SqlBool>
  /** The column, for a condition or an order that must not choose the index. */
  unindexed<T = string>(column: string): Expression<T>
}
