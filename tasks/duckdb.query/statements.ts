import type { DuckDBConnection, DuckDBPreparedStatement, StatementType } from '@duckdb/node-api'
import { TaskFailure } from '@/tasks/support/task-failure'

/** `explain`: as what it explains. `extension`: reaches the network. The names are DuckDB's; a new one has to be judged here. */
type Verdict = 'allowed' | 'explain' | 'extension' | 'refused'

const VERDICTS: Readonly<Record<keyof typeof StatementType, Verdict>> = {
  SELECT: 'allowed',
  INSERT: 'allowed',
  UPDATE: 'allowed',
  DELETE: 'allowed',
  MERGE_INTO: 'allowed',
  CREATE: 'allowed',
  CREATE_FUNC: 'allowed',
  ALTER: 'allowed',
  DROP: 'allowed',
  TRANSACTION: 'allowed',
  ANALYZE: 'allowed',
  VACUUM: 'allowed',
  // Files in the attempt's folder only: the configuration is locked.
  COPY: 'allowed',
  COPY_DATABASE: 'allowed',
  EXPORT: 'allowed',
  ATTACH: 'allowed',
  DETACH: 'allowed',
  SET: 'allowed',
  VARIABLE_SET: 'allowed',
  EXPLAIN: 'explain',
  LOAD: 'extension',
  EXTENSION: 'extension',
  UPDATE_EXTENSIONS: 'extension',
  INVALID: 'refused',
  PREPARE: 'refused',
  EXECUTE: 'refused',
  PRAGMA: 'refused',
  CALL: 'refused',
  RELATION: 'refused',
  LOGICAL_PLAN: 'refused',
  MULTI: 'refused',
}

/** Functions that change DuckDB itself: its log ends the process when it may not write. No setting takes them away. */
const REFUSED_FUNCTIONS =
  /\b(?:(?:en|dis)able_(?:logging|profile|profiling|peg_parser)|truncate_duckdb_logs|json_execute_serialized_sql)\b/i

/** Up to the statement that an EXPLAIN explains: nothing that could hide where it begins. */
const EXPLAIN_PREFIX =
  /^(?:\s|--[^\n\r]*[\n\r])*explain(?:\s+analyze|\s*\(\s*(?:analyze|format)\b[\w\s,']*\))?(?=[\s(])/i

/**
 * Refuses a statement whose kind is not listed as allowed. `sql` is the whole text; of it, this is one of `count` statements.
 * DuckDB does not say what an EXPLAIN explains, and EXPLAIN ANALYZE runs it: it stands alone, and the rest of its text is parsed again.
 * @throws TaskFailure `egress_refused` for what installs or loads extensions, else `invalid_input`
 */
export async function checkStatement(
  connection: DuckDBConnection,
  { statementType: type }: DuckDBPreparedStatement,
  { sql, count }: { readonly sql: string; readonly count: number },
): Promise<void> {
  if (await isAllowed(type)) return
  const { StatementType } = await import('@duckdb/node-api')
  if (type !== StatementType.EXPLAIN) return
  const explained = sql.replace(EXPLAIN_PREFIX, '')
  const inner = count === 1 && explained !== sql ? await kindsOf(connection, explained) : []
  if (inner.length === 1 && inner[0] === StatementType.SELECT) return
  for (const kind of inner) await isAllowed(kind)
  throw new TaskFailure('invalid_input', 'EXPLAIN must be the only statement of sql and explain a SELECT')
}

/** @throws TaskFailure for a text that names a function which no query needs and which changes DuckDB itself */
export function refuseFunctions(sql: string): void {
  const named = REFUSED_FUNCTIONS.exec(sql)
  if (named !== null) throw new TaskFailure('invalid_input', `sql may not use ${named[0]}`)
}

/** False for an EXPLAIN, of which the kind alone says nothing. */
async function isAllowed(type: StatementType): Promise<boolean> {
  const { StatementType } = await import('@duckdb/node-api')
  const name = StatementType[type]
  switch (VERDICTS[name as keyof typeof StatementType] ?? 'refused') {
    case 'allowed':
      return true
    case 'explain':
      return false
    case 'extension':
      throw new TaskFailure('egress_refused', 'sql may not install, load or update extensions of DuckDB')
    case 'refused':
      throw new TaskFailure('invalid_input', `sql may not contain ${name ?? 'an unknown kind of statement'}`)
  }
}

/** The kinds of the statements of a text; none when it cannot be parsed. */
async function kindsOf(connection: DuckDBConnection, sql: string): Promise<readonly StatementType[]> {
  try {
    const statements = await connection.extractStatements(sql)
    const kinds: StatementType[] = []
    for (let at = 0; at < statements.count; at += 1) {
      const statement = await statements.prepare(at)
      kinds.push(statement.statementType)
      statement.destroySync()
    }
    return kinds
  } catch {
    return []
  }
}
